package io.github.slotbloom.reliability;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Looks for what cannot have happened if the promises hold, in what the callers of all processes
 * saw and what was in the database at the end.
 *
 * <p>For each key the filter is a register that is set once, and reset by a clear. An answer tells
 * of some moment between its call and its return, and a bounded one of a moment that may lie a
 * bound earlier. So a key that was shown to be present before a question began must not be missing
 * from its answer, unless a clear may lie between.
 */
final class HistoryChecker {

  /**
   * What was in the database when all was over.
   *
   * @param keysAdded the count in the catalog
   * @param journaled whether the journal holds that key; it must be whole
   * @param member whether all bits of the key are set by the entries of the journal
   */
  record Final(long keysAdded, LongPredicate journaled, LongPredicate member) {}

  private static final int MOST_TOLD = 20;

  private final List<Operation> clears;
  private final Map<Long, List<Operation>> byKey;
  private final Collection<List<Operation>> batches;
  private final Final end;
  private final boolean visibleIsDurable;
  private final Map<Answer, Long> answers;
  private final List<String> violations = new ArrayList<>();
  private final LongQuantiles staleness = new LongQuantiles();
  private long violated;
  private long winners;
  private long possibleWinners;
  private long journaledKeys;
  private long falsePositives;

  /**
   * @param visibleIsDurable whether what a question saw outlives a crash of the server; if not,
   *     only adds show what must last
   */
  HistoryChecker(List<Operation> history, Final end, boolean visibleIsDurable) {
    this.end = end;
    this.visibleIsDurable = visibleIsDurable;
    answers = history.stream().collect(groupingBy(Operation::answer, counting()));
    clears =
        history.stream()
            .filter(o -> o.kind() == Kind.CLEAR)
            .sorted(comparingLong(Operation::invoked))
            .toList();
    byKey =
        history.stream()
            .filter(o -> o.kind() != Kind.CLEAR)
            .collect(groupingBy(Operation::key, HashMap::new, toList()));
    batches =
        history.stream()
            .filter(o -> o.batch() != 0 && o.answer() == Answer.NONE)
            .collect(groupingBy(Operation::batch))
            .values();
  }

  /** Checks everything. */
  Findings check() {
    byKey.values().forEach(this::checkKey);
    batches.forEach(this::checkBatch);
    if (journaledKeys != end.keysAdded()) {
      violation(
          "The catalog counts "
              + end.keysAdded()
              + " keys, but of the keys that were added the journal holds "
              + journaledKeys);
    }
    if (winners > end.keysAdded() || winners + possibleWinners < end.keysAdded()) {
      violation(
          "The catalog counts "
              + end.keysAdded()
              + " keys, but "
              + winners
              + " had a winner and "
              + possibleWinners
              + " may have one that did not hear of it");
    }
    return new Findings(
        answers, falsePositives, winners, possibleWinners, violated, violations, staleness);
  }

  private void checkKey(List<Operation> ofKey) {
    ofKey.sort(comparingLong(Operation::invoked));
    checkNothingIsLost(ofKey);
    checkOneWinner(ofKey);
    checkNothingIsInvented(ofKey);
    checkEnd(ofKey);
  }

  /** After a key was shown to be present nobody finds it missing. */
  private void checkNothingIsLost(List<Operation> ofKey) {
    List<Operation> present = ofKey.stream().filter(this::lasts).toList();
    Operation[] earliestReturned = new Operation[present.size() + 1];
    for (int i = present.size() - 1; i >= 0; i--) {
      Operation later = earliestReturned[i + 1];
      Operation one = present.get(i);
      earliestReturned[i] = later == null || one.completed() < later.completed() ? one : later;
    }
    long[] invoked = present.stream().mapToLong(Operation::invoked).toArray();
    for (Operation missed : ofKey) {
      if (!missed.showsAbsence()) {
        continue;
      }
      Operation shown = earliestReturned[firstAtOrAfter(invoked, lastClearBefore(missed))];
      if (shown == null) {
        continue;
      }
      if (shown.completed() < missed.knowledgeFrom()) {
        violation("Lost: " + shown + ", but then " + missed);
      } else if (missed.boundNanos() > 0 && shown.completed() < missed.invoked()) {
        staleness.add(missed.invoked() - shown.completed());
      }
    }
  }

  private boolean lasts(Operation o) {
    return o.showsPresence() && (visibleIsDurable || o.kind() == Kind.ADD);
  }

  /**
   * When the last clear returned that may have had its effect before the operation ended: what
   * began before that may have been cleared.
   */
  private long lastClearBefore(Operation o) {
    long last = Long.MIN_VALUE;
    for (Operation clear : clears) {
      if (clear.invoked() < o.completed()) {
        last = Math.max(last, clear.completed());
      }
    }
    return last;
  }

  private static int firstAtOrAfter(long[] sorted, long value) {
    int found = Arrays.binarySearch(sorted, value);
    if (found < 0) {
      return -found - 1;
    }
    while (found > 0 && sorted[found - 1] == value) {
      found--;
    }
    return found;
  }

  /**
   * Of those who add a key at most one is told that it is new, and one more after each clear. Each
   * winner may belong to any epoch that its call overlaps; who has the fewest left is served first.
   */
  private void checkOneWinner(List<Operation> ofKey) {
    List<Operation> unserved = new ArrayList<>(winners(ofKey));
    unserved.sort(comparingLong(this::lastEpoch));
    int all = unserved.size();
    for (long epoch = 0; epoch <= clears.size() && !unserved.isEmpty(); epoch++) {
      long now = epoch;
      unserved.stream().filter(o -> firstEpoch(o) <= now).findFirst().ifPresent(unserved::remove);
      if (!unserved.isEmpty() && lastEpoch(unserved.get(0)) <= now) {
        violation(
            "Two winners, of " + all + " and " + clears.size() + " clears: " + winners(ofKey));
        return;
      }
    }
  }

  private static List<Operation> winners(List<Operation> ofKey) {
    return ofKey.stream().filter(o -> o.answer() == Answer.NEW).toList();
  }

  /** How many clears were over before it began. */
  private long firstEpoch(Operation o) {
    return clears.stream().filter(c -> c.completed() <= o.invoked()).count();
  }

  /** How many clears had begun when it was over. */
  private long lastEpoch(Operation o) {
    return clears.stream().filter(c -> c.invoked() < o.completed()).count();
  }

  /** Nobody sees a key that nobody can have added, unless it is a false positive. */
  private void checkNothingIsInvented(List<Operation> ofKey) {
    boolean possible = !clears.isEmpty() || end.journaled().test(ofKey.get(0).key());
    for (Operation o : ofKey) {
      if (o.answer() != Answer.SEEN && o.answer() != Answer.YES) {
        continue;
      }
      boolean mayBeTakenBack = !visibleIsDurable && o.kind() == Kind.ASK;
      boolean added =
          (possible || mayBeTakenBack)
              && ofKey.stream()
                  .filter(s -> s.mayHaveWon() || (mayBeTakenBack && s.kind() == Kind.ADD))
                  .anyMatch(s -> s.invoked() < o.completed() && !erased(s, o));
      boolean falsePositive = !added && isFalsePositive(o.key());
      if (!added && !falsePositive) {
        violation("Nobody added it: " + o);
      }
      falsePositives += falsePositive ? 1 : 0;
    }
  }

  /** Whether a clear came after the one and before the other. */
  private boolean erased(Operation added, Operation seen) {
    return clears.stream()
        .anyMatch(c -> added.completed() < c.invoked() && c.completed() < seen.invoked());
  }

  /** A clear takes what made the answer, so then it cannot be told any more. */
  private boolean isFalsePositive(long key) {
    return clears.isEmpty() && !end.journaled().test(key) && end.member().test(key);
  }

  private void checkEnd(List<Operation> ofKey) {
    long key = ofKey.get(0).key();
    long lastClear = clears.stream().mapToLong(Operation::completed).max().orElse(Long.MIN_VALUE);
    long lastClearBegan =
        clears.isEmpty() ? Long.MIN_VALUE : clears.get(clears.size() - 1).invoked();
    boolean journaled = end.journaled().test(key);
    boolean won = false;
    boolean mayHaveWon = false;
    for (Operation o : ofKey) {
      boolean afterClears = o.invoked() >= lastClear;
      if (o.answer() == Answer.NEW && afterClears) {
        won = true;
        if (!journaled) {
          violation("Acknowledged, but not in the journal: " + o);
        }
      }
      if (lasts(o) && afterClears && !end.member().test(key)) {
        violation("Was there, but is not in the end: " + o);
      }
      mayHaveWon |= o.mayHaveWon() && o.completed() > lastClearBegan;
    }
    winners += won ? 1 : 0;
    possibleWinners += !won && mayHaveWon ? 1 : 0;
    if (journaled) {
      journaledKeys++;
      if (!mayHaveWon) {
        violation("In the journal, though none of its adds can have put it there: " + ofKey);
      }
    }
  }

  /** Of a transaction whose end nobody heard of, all keys that are its alone are there, or none. */
  private void checkBatch(List<Operation> batch) {
    List<Operation> alone =
        batch.stream()
            .filter(o -> byKey.get(o.key()).stream().filter(a -> a.kind() == Kind.ADD).count() == 1)
            .filter(o -> !isFalsePositive(o.key()))
            .toList();
    long there = alone.stream().filter(o -> end.journaled().test(o.key())).count();
    if (there != 0 && there != alone.size()) {
      violation(
          "Half done: of "
              + alone.size()
              + " keys of one transaction "
              + there
              + " are in the journal; one is "
              + alone.get(0));
    }
  }

  private void violation(String what) {
    violated++;
    if (violations.size() < MOST_TOLD) {
      violations.add(what);
    }
  }
}
