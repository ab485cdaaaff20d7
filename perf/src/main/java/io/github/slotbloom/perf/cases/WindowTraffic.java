package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.WindowKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The keys of some days, in lists. In each list every other key is new. The others came up before:
 * on the same day, or on one of the six days before it, any of them as often as any other.
 */
final class WindowTraffic {

  static final int KEYS_A_LIST = 1_000;

  private static final int DAYS_OF_REPEATS = 6;

  private final int newKeysADay;
  private final int listsADay;
  private final Checks checks;

  /**
   * Creates the traffic.
   *
   * @param keysADay a multiple of twice {@value #KEYS_A_LIST}
   */
  WindowTraffic(int keysADay, Checks checks) {
    this.newKeysADay = keysADay / 2;
    this.listsADay = keysADay / KEYS_A_LIST;
    this.checks = checks;
  }

  /** {@return the keys that come up first in so many days} */
  long newKeys(int days) {
    return (long) days * newKeysADay;
  }

  List<List<String>> firstHalf(int day) {
    return lists(day, 0, listsADay / 2);
  }

  List<List<String>> secondHalf(int day) {
    return lists(day, listsADay / 2, listsADay);
  }

  private List<List<String>> lists(int day, int from, int to) {
    List<List<String>> lists = new ArrayList<>();
    for (int i = from; i < to; i++) {
      lists.add(list(day, (long) day * listsADay + i));
    }
    return lists;
  }

  private List<String> list(int day, long number) {
    SplittableRandom random = new SplittableRandom(number);
    long next = number * (KEYS_A_LIST / 2);
    long oldest = Math.max(0, newKeys(day - DAYS_OF_REPEATS));
    List<String> keys = new ArrayList<>(KEYS_A_LIST);
    for (int i = 0; i < KEYS_A_LIST / 2; i++) {
      keys.add(Keys.text(next + i));
      // The very first list has nothing to repeat but itself.
      keys.add(Keys.text(next == oldest ? next : random.nextLong(oldest, next)));
    }
    return keys;
  }

  /** Counts the answers to lists, and checks them. */
  final class Answers {
    private final WindowKeys keys;
    private long asked;
    private long isNew;
    private long repeatedIsNew;

    Answers(WindowKeys keys) {
      this.keys = keys;
    }

    void count(boolean[] answers) {
      for (int i = 0; i < answers.length; i += 2) {
        asked++;
        isNew += answers[i] ? 1 : 0;
        repeatedIsNew += answers[i + 1] ? 1 : 0;
      }
    }

    void check() {
      checks.newKeys(keys.name(), asked, isNew, keys.falsePositiveRate());
      // A key that was taken for an older one is new once that one has expired.
      checks.expect(
          repeatedIsNew <= Checks.most(asked, keys.falsePositiveRate()),
          "%s: of %,d keys of the last days %,d were answered as new",
          keys.name(),
          asked,
          repeatedIsNew);
    }
  }

  /** Checks that the keys of the first day have expired. They are added again by that. */
  void requireFirstDayNew(WindowKeys keys) throws Exception {
    long isNew = 0;
    long asked = 0;
    for (List<String> some : Keys.inParts(0, newKeysADay, KEYS_A_LIST)) {
      for (boolean answer : keys.addEach(some)) {
        isNew += answer ? 1 : 0;
        asked++;
      }
    }
    checks.newKeys(keys.name() + ", expired", asked, isNew, keys.falsePositiveRate());
  }
}
