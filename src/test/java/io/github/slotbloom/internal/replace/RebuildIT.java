package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Keys;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter whose keys are removed is rebuilt, and sheds them. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
class RebuildIT {

  @Fixture private static Sql sql;
  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  private final String name = newName();

  private BloomFilter<String> reserve(boolean retained, long capacity) throws SQLException {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(capacity).falsePositiveRate(1e-9);
    here.reserve(name, (retained ? spec.retainHashes() : spec).buildRemovable(50)).close();
    // So old that entries may be trimmed already.
    sql.run(
        "UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE name = ?", name);
    return here.open(name, KeyType.text());
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  private long removedCount() throws SQLException {
    return sql.number("SELECT keys_removed FROM bloom_filter_status WHERE name = ?", name);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void removedKeysStayRemovedWhenTheFilterIsReplaced(boolean retained) throws SQLException {
    BloomFilter<String> filter = reserve(retained, 4000);
    filter.addEach(keys(0, 3000));
    Removing.from(filter).removeEach(keys(0, 1000));
    filter.addEach(keys(0, 100));
    List<String> left = new ArrayList<>(keys(0, 100));
    left.addAll(keys(1000, 3000));
    List<String> during = new ArrayList<>();
    here.admin(name)
        .replace(
            5000,
            source(retained, 0, 3000),
            ReplaceOptions.defaults()
                .onProgress(
                    progress -> {
                      // What is removed meanwhile stays removed, and what returns is there.
                      int i = during.size();
                      if (i < 50) {
                        assertThat(Removing.from(filter).remove("key " + (2000 + i))).isTrue();
                        assertThat(filter.add("key " + (500 + i))).isTrue();
                        assertThat(filter.add("new " + i)).isTrue();
                        during.add("" + i);
                      }
                    }));
    int steps = during.size();
    assertThat(steps).isPositive();
    left.removeAll(keys(2000, 2000 + steps));
    left.addAll(keys(500, 500 + steps));
    IntStream.range(0, steps).forEach(i -> left.add("new " + i));
    List<String> gone = new ArrayList<>(keys(500 + steps, 1000));
    gone.addAll(keys(2000, 2000 + steps));
    assertAnswers(filter, left, gone);
    assertThat(removedCount()).isEqualTo(steps);
    if (retained) {
      assertStaysRemovedWhenRebuiltAgain(filter, 2000, 2000 + steps);
    }
    // Without retained hashes removed keys count until it is rebuilt.
    assertThat(here.info(filter.name()).keysAdded())
        .isEqualTo(left.size() + (retained ? 0 : steps));
    assertThat(Removing.from(filter).removeEach(keys(2000, 2100)))
        .isEqualTo(filterOf(100, i -> i >= steps));
  }

  /** Their hashes are not held, whatever the journal holds of them. */
  private void assertStaysRemovedWhenRebuiltAgain(BloomFilter<String> filter, int from, int to) {
    for (int capacity = 5001; capacity <= 5002; capacity++) {
      here.admin(name).replace(capacity, KeySource.journal(), ReplaceOptions.defaults());
    }
    assertThat(filter.mightContainEach(keys(from, to))).containsOnly(false);
  }

  private static boolean[] filterOf(int length, IntPredicate test) {
    boolean[] all = new boolean[length];
    for (int i = 0; i < length; i++) {
      all[i] = test.test(i);
    }
    return all;
  }

  /**
   * Keys come and go, and few of them live at a time. With {@code slotbloom.sessions} as many come
   * as it says.
   */
  @ParameterizedTest
  @CsvSource({"true, GROW", "false, GROW", "true, REFUSE"})
  @PossibleLog("cannot grow automatically right now; .* is being replaced")
  void aRemovalIsNotRefusedWhereKeysComeAndGo(boolean retained, OnFull onFull) {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(10_000).onFull(onFull);
    BloomFilter<String> filter =
        here.reserve(name, (retained ? spec.retainHashes() : spec).buildRemovable());
    Deque<List<String>> living = new ArrayDeque<>();
    int sessions = Integer.getInteger("slotbloom.sessions", 12_000);
    int refused = 0;
    for (int from = 0; from < sessions; from += 500) {
      List<String> more = keys(from, from + 500);
      try {
        filter.addEach(more);
        living.add(more);
      } catch (FilterFullException e) {
        // Those that are there have to go all the same.
        refused++;
      }
      if (living.size() > 10) {
        List<String> ending = living.remove();
        Removing.from(filter).removeEach(ending);
        assertThat(filter.mightContainEach(ending)).containsOnly(false);
      }
      assertThat(filter.mightContainEach(living.getLast())).containsOnly(true);
    }
    assertThat(refused).isLessThan(onFull == OnFull.REFUSE ? sessions / 500 : 1);
  }

  /** Replaces the filter, and does something once in the middle. */
  private void replaceMeanwhile(KeySource source, Runnable once) {
    replace(2001, source, ReplaceOptions.defaults(), once);
  }

  private void replace(long capacity, KeySource source, ReplaceOptions options, Runnable once) {
    AtomicBoolean done = new AtomicBoolean();
    here.admin(name)
        .replace(
            capacity,
            source,
            options.onProgress(
                progress -> {
                  if (done.compareAndSet(false, true)) {
                    once.run();
                  }
                }));
  }

  /** Without retained hashes the source may still have what was removed before. */
  private static KeySource source(boolean retained, int from, int to) {
    return retained ? KeySource.journal() : Keys.source(keys(from, to));
  }

  @Test
  void aSourceThatLacksKeysIsRefusedHoweverManyComeAndGoMeanwhile() throws SQLException {
    BloomFilter<String> filter = reserve(false, 2000);
    filter.addEach(keys(0, 1000));
    Runnable comeAndGo =
        () -> {
          for (int i = 0; i < 2; i++) {
            Removing.from(filter).removeEach(keys(0, 200));
            filter.addEach(keys(0, 200));
          }
        };
    assertThatThrownBy(() -> replaceMeanwhile(source(false, 0, 700), comeAndGo))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("1000 keys were added to it before");
    here.admin(name).abortReplacement();
    assertThat(filter.mightContainEach(keys(0, 1000))).containsOnly(true);
  }

  /** They have their bits in an older layer, and need no room in the newest. */
  @Test
  void keysThatReturnToAFilterOfSeveralLayersKeepItsFalsePositiveRate() {
    BloomFilter<String> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text())
                .capacity(2000)
                .falsePositiveRate(0.01)
                .buildRemovable(100));
    filter.addEach(keys(0, 2000));
    here.admin(name).grow(4000);
    for (int round = 0; round < 2; round++) {
      Removing.from(filter).removeEach(keys(0, 1000));
      filter.addEach(keys(0, 1000));
    }
    filter.addEach(keys(2000, 4100));
    assertThat(filter.mightContainEach(keys(0, 4100))).containsOnly(true);
    boolean[] absent = filter.mightContainEach(keys(10_000, 30_000));
    assertThat(IntStream.range(0, absent.length).filter(i -> absent[i]).count()).isLessThan(300);
  }

  /** Their bits are set like those of keys that are removed at any other time. */
  @ParameterizedTest
  @CsvSource({"true, 0", "false, 300"})
  void keysRemovedWhileItWasReplacedCountUntilItIsRebuilt(boolean retained, int from)
      throws SQLException {
    BloomFilter<String> filter = reserve(retained, 1500);
    filter.addEach(keys(0, 1000));
    replaceMeanwhile(
        source(retained, from, 1000),
        () -> {
          Removing.from(filter).removeEach(keys(0, 300));
          // Whatever returns meanwhile, and however often, counts once.
          for (int i = 0; i < 5; i++) {
            assertThat(Removing.from(filter).remove("key 500")).isTrue();
            assertThat(filter.add("key 500")).isTrue();
          }
        });
    here.admin(filter.name()).fold();

    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(retained ? 700 : 1000);
    assertThat(removedCount()).isEqualTo(300);
    String copy = newName();
    here.admin(name).copyTo(copy);
    for (String each : List.of(name, copy)) {
      assertThat(here.admin(each).verify(VerifyOptions.defaults()).findings()).isEmpty();
    }
    assertThat(here.admin(name).similarityTo(copy).first()).isCloseTo(700, within(20.0));

    assertThat(filter.add("key 0")).isTrue();
    here.admin(name).replace(2002, Keys.source(keys(0, 1000)), ReplaceOptions.defaults());
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(701);
    assertThat(removedCount()).isZero();
    assertThat(filter.mightContainEach(keys(1, 300))).containsOnly(false);
  }

  /** A key may be removed while it is filled, and return later. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aKeyThatWasRemovedWhileItWasReplacedReturnsWithBits(boolean retained) throws SQLException {
    BloomFilter<String> filter = reserve(retained, 2000);
    filter.addEach(keys(0, 1000));
    replaceMeanwhile(
        source(retained, 0, 1000), () -> Removing.from(filter).removeEach(keys(0, 1000)));
    assertThat(filter.addEach(keys(0, 500))).containsOnly(true);
    here.admin(filter.name()).fold();
    assertAnswers(filter, keys(0, 500), keys(500, 1000));
  }

  /** It was not counted when the replacement began, and must not make up for one that was. */
  @Test
  void aKeyThatReturnsMeanwhileHidesNoneThatTheSourceLacks() throws SQLException {
    BloomFilter<String> filter = reserve(true, 4000);
    filter.addEach(keys(0, 1000));
    Removing.from(filter).remove("key 0");
    ReplaceOptions returning =
        ReplaceOptions.defaults().onProgress(progress -> filter.add("key 0"));
    assertThatThrownBy(() -> here.admin(name).replace(5000, Keys.source(keys(1, 999)), returning))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "999 keys", "only 998");
    here.admin(name).replace(5000, KeySource.journal(), ReplaceOptions.defaults());
    assertHolds(filter, keys(0, 1000), keys(1000, 1001));
  }

  private void assertHolds(BloomFilter<String> filter, List<String> held, List<String> missing) {
    assertAnswers(filter, held, missing);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(held.size());
  }

  /** In each process, with a mirror and without; the tables are asked for some of the keys. */
  private void assertAnswers(BloomFilter<String> filter, List<String> held, List<String> missing) {
    for (BloomFilter<String> any : List.of(filter, Use.MIRRORED.open(there, name))) {
      assertThat(any.mightContainEach(held)).containsOnly(true);
      assertThat(any.mightContainEach(missing)).containsOnly(false);
    }
    BloomFilter<String> direct = Use.DIRECT.open(there, name);
    assertThat(direct.mightContainEach(some(held))).containsOnly(true);
    assertThat(direct.mightContainEach(some(missing))).containsOnly(false);
  }

  private static List<String> some(List<String> keys) {
    int step = keys.size() / 200 + 1;
    return IntStream.iterate(0, i -> i < keys.size(), i -> i + step).mapToObj(keys::get).toList();
  }

  /** Its hashes stay, so the next rebuild would bring those back that the source lacks. */
  @Test
  void aFilterThatRetainsHashesForgetsNone() throws SQLException {
    BloomFilter<String> filter = reserve(true, 4000);
    filter.addEach(keys(0, 3000));
    assertThatThrownBy(
            () ->
                here.admin(name)
                    .replace(4001, Keys.source(keys(0, 2000)), ReplaceOptions.defaults().forced()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll(name, "--from-journal", "remove");
    assertThat(here.admin(name).replacement()).isEmpty();
    assertThatThrownBy(
            () ->
                here.admin(name)
                    .replace(4001, Keys.source(keys(0, 2000)), ReplaceOptions.defaults()))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "3000", "2000");
    here.admin(name).replace(4001, KeySource.journal(), ReplaceOptions.defaults());
    assertHolds(filter, keys(0, 3000), keys(3000, 3001));
  }
}
