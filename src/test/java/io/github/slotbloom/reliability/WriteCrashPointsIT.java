package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrashedFilter.ACKNOWLEDGED;
import static io.github.slotbloom.reliability.CrashedFilter.AT_STAKE;
import static io.github.slotbloom.reliability.CrashedFilter.CAPACITY;
import static io.github.slotbloom.reliability.CrashedFilter.NEVER_ADDED;
import static io.github.slotbloom.testing.Keys.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process, or the server, is killed at every step of adding keys, of folding and trimming, and
 * while a mirror is loaded.
 *
 * <p>Every build takes each point once, with one of the two kills on one of the databases. {@code
 * -Dslotbloom.test.long=true} takes each with both kills on all of them.
 */
@DatabaseContract
@Tag("servers")
@Tag("long")
class WriteCrashPointsIT extends AtCrashSite {

  private static final Runnable NOTHING = () -> {};

  static Stream<Kill> kills() {
    return site.taken(Kill.values());
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void anAddIsRecordedWhollyOrNotAtAll(WritePoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        site.crash(
            kill,
            point.alone() ? List.of("open " + name, "each 2001..2004") : List.of("open " + name),
            point.where,
            List.of("add 101..103"),
            crashed::verifyTables);
    assertThat(answer).isIn(Optional.empty(), Optional.of("3"));
    // Who lives through it plays it again where it is lost.
    boolean recorded = point.recorded || kill == Kill.SERVER;
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, recorded);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, AT_STAKE, !recorded);
  }

  @ParameterizedTest
  @MethodSource("kills")
  void eachTransactionOfALongListIsRecordedWhollyOrNotAtAll(Kill kill) throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    long first = 1001;
    long inFirst = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    long last = first + inFirst + 99;
    Optional<String> answer =
        site.crash(
            kill,
            List.of("open " + name),
            Catch.before("insert into .bloom_journal", 1),
            List.of("add " + first + ".." + last),
            NOTHING);
    assertThat(answer).isIn(Optional.empty(), Optional.of("" + (inFirst + 100)));
    boolean recorded = kill == Kill.SERVER;
    crashed.assertThereWhollyOrNotAtAll(survivor, numbers(first, first + inFirst - 1), true);
    crashed.assertThereWhollyOrNotAtAll(survivor, numbers(first + inFirst, last), recorded);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, numbers(first + inFirst, last), !recorded);
  }

  /** Where the COMMIT of a caller's own transaction is interrupted. */
  enum CallersPoint {
    BEFORE_COMMIT(Catch.before("^commit"), false),
    AFTER_COMMIT(Catch.after("^commit"), true);

    private final Catch where;
    private final boolean recorded;

    CallersPoint(Catch where, boolean recorded) {
      this.where = where;
      this.recorded = recorded;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void addsInTheCallersTransactionAreRecordedWithIt(CallersPoint point, Kill kill)
      throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        site.crash(kill, List.of("open " + name), point.where, List.of("within 101..103"), NOTHING);
    // Only the caller could repeat it.
    answer.ifPresent(said -> assertThat(said).startsWith("failed: "));
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, point.recorded);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, AT_STAKE, !point.recorded);
  }

  /** Where folding is interrupted. */
  enum FoldPoint {
    BETWEEN_SLOTS(Catch.before("insert into .bloom_bits", 1)),
    BEFORE_THE_FOLD_ROW(Catch.before("update .bloom_fold")),
    BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_fold")),
    AFTER_COMMIT(Catch.afterCommitOf("update .bloom_fold"));

    private final Catch where;

    FoldPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void everyEntryIsFoldedOnce(FoldPoint point, Kill kill) throws Exception {
    List<Long> backlog = crashed.leaveBacklog();
    List<BloomFilter<Long>> opened = new ArrayList<>();
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            point.where,
            // Opening it begins to fold already.
            List.of("open " + name, "fold"),
            () -> {
              // The server ends a silent victim, and its lock, after some seconds.
              if (point != FoldPoint.AFTER_COMMIT) {
                assertThat(crashed.isFoldLockHeld()).as("the lock of the victim").isTrue();
              }
              crashed.verifyTables();
              // Who opened it sooner would fold, too.
              opened.add(site.others().open(name, KeyType.longs()));
            });
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    BloomFilter<Long> survivor = opened.get(0);
    crashed.assertThereWhollyOrNotAtAll(survivor, backlog, true);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertFoldsToWhatWasCommitted(survivor);
  }

  /** Where trimming is interrupted. */
  enum TrimPoint {
    BEFORE_THE_ROWS(Catch.before("delete from .bloom_journal")),
    BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_journal")),
    AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_journal"));

    private final Catch where;

    TrimPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void trimmingLosesNoKey(TrimPoint point, Kill kill) throws Exception {
    List<Long> backlog = crashed.leaveBacklog();
    site.sql()
        .run(
            "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE filter_id ="
                + " (SELECT id FROM bloom_filter WHERE name = ?)",
            name);
    List<BloomFilter<Long>> opened = new ArrayList<>();
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            point.where,
            List.of("trim " + name),
            () -> opened.add(site.others().open(name, KeyType.longs())));
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    FilterState state = FilterState.readTrimmed(site.tables(), name);
    state.verify();
    assertThat(state.journaledEntries()).isPositive();
    for (List<Long> added : List.of(ACKNOWLEDGED, backlog)) {
      assertThat(added).allMatch(key -> state.contains(state.hash(key)));
      crashed.assertEverywhere(opened.get(0), added, true);
    }
    crashed.assertEverywhere(opened.get(0), NEVER_ADDED, false);
    opened.get(0).fold();
    FilterState.readTrimmed(site.tables(), name).verifyFolded();
  }

  @ParameterizedTest
  @MethodSource("kills")
  void aMirrorThatLoadsHoldsKeysAddedMeanwhile(Kill kill) throws Exception {
    // So many slots that they are read in several ranges.
    BloomFilter<Long> survivor = crashed.reserve(10 * CAPACITY);
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            Catch.before("select count.*bloom_bits_.* >= ", 1),
            List.of("open " + name, "ask 1..103"),
            () -> {
              survivor.addEach(AT_STAKE);
              survivor.fold();
            });
    int asked = 103;
    int added = ACKNOWLEDGED.size() + AT_STAKE.size();
    assertThat(asked).isGreaterThan(added);
    assertThat(answer).isIn(Optional.empty(), Optional.of("" + added));
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, true);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertFoldsToWhatWasCommitted(survivor);
  }
}
