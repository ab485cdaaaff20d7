package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrashedFilter.ACKNOWLEDGED;
import static io.github.slotbloom.reliability.CrashedFilter.AT_STAKE;
import static io.github.slotbloom.reliability.CrashedFilter.CAPACITY;
import static io.github.slotbloom.testing.Keys.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process, or the server, is killed at every step of removing keys, of folding what was removed,
 * of taking it out of tables and blocks, and of building the filter anew.
 *
 * <p>Every build takes each point once, with one of the two kills on one of the databases. {@code
 * -Dslotbloom.test.long=true} takes each with both kills on all of them.
 */
@DatabaseContract
@Tag("servers")
@Tag("long")
class RemovalCrashPointsIT extends AtCrashSite {

  private static final Runnable NOTHING = () -> {};

  /** Keys whose removal was acknowledged before the crash. */
  private static final List<Long> GONE = numbers(201, 210);

  /** The last statement of a part of a fold that is not its end. */
  private static final String MARKED = "^select(?!.*(for update|exists)).*from .bloom_fold";

  private static final List<Long> BACKLOG = numbers(3001, 3500);

  /** Returns a filter with keys that are there, some of them at stake, and keys that are gone. */
  private BloomFilter<Long> reserve(boolean retained) throws SQLException {
    return reserve(site.others(), retained);
  }

  private BloomFilter<Long> reserve(SlotBloom bloom, boolean retained) throws SQLException {
    BloomFilter<Long> filter = crashed.reserve(bloom, FilterCommands.removable(CAPACITY, retained));
    filter.addEach(AT_STAKE);
    filter.addEach(GONE);
    assertThat(filter.removeEach(GONE)).containsOnly(true);
    filter.fold();
    return filter;
  }

  private void assertAcknowledgedHolds(BloomFilter<Long> survivor) throws SQLException {
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertThereWhollyOrNotAtAll(survivor, GONE, false);
    assertSound();
  }

  private void assertSound() {
    assertThat(site.others().admin().verify(name, VerifyOptions.defaults()).findings()).isEmpty();
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void aRemovalIsRecordedWhollyOrNotAtAll(WritePoint point, Kill kill) throws Exception {
    assertRemovedWhollyOrNotAtAll(point, kill, false);
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void aRemovalOfRetainedHashesIsRecordedWhollyOrNotAtAll(WritePoint point, Kill kill)
      throws Exception {
    assertRemovedWhollyOrNotAtAll(point, kill, true);
  }

  private void assertRemovedWhollyOrNotAtAll(WritePoint point, Kill kill, boolean retained)
      throws Exception {
    BloomFilter<Long> survivor = reserve(retained);
    Optional<String> answer =
        site.crash(
            kill,
            point.alone() ? List.of("open " + name, "each 2001..2004") : List.of("open " + name),
            point.where,
            List.of("remove 101..103"),
            crashed::verifyTables);
    assertThat(answer).isIn(Optional.empty(), Optional.of("3"));
    // Who lives through it plays it again where it is lost, and is told.
    assertRemoved(survivor, point.recorded || kill == Kill.SERVER);
  }

  /** Whoever removes them again is told that they were there only if they are not removed yet. */
  private void assertRemoved(BloomFilter<Long> survivor, boolean recorded) throws SQLException {
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, !recorded);
    assertAcknowledgedHolds(survivor);
    try (BloomFilter<Long> another = site.others().open(name, KeyType.longs())) {
      assertThat(another.removeEach(AT_STAKE)).containsOnly(!recorded);
    }
    assertThat(survivor.removeEach(AT_STAKE)).containsOnly(false);
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, false);
    crashed.assertFoldsToWhatWasCommitted(survivor);
    assertAcknowledgedHolds(survivor);
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
  void removalsInTheCallersTransactionAreRecordedWithIt(CallersPoint point, Kill kill)
      throws Exception {
    BloomFilter<Long> survivor = reserve(true);
    Optional<String> answer =
        site.crash(
            kill, List.of("open " + name), point.where, List.of("withdraw 101..103"), NOTHING);
    // Only the caller could repeat it.
    answer.ifPresent(said -> assertThat(said).startsWith("failed: "));
    assertRemoved(survivor, point.recorded);
  }

  /** Where folding is interrupted. The rows of removed keys are committed before the slots. */
  enum FoldPoint {
    BETWEEN_ROWS(Catch.before("insert into .bloom_removed", 1)),
    BEFORE_ROWS_GO(Catch.before("delete from .bloom_removed")),
    BEFORE_COMMIT_OF_ROWS(Catch.beforeCommitOf(MARKED)),
    AFTER_COMMIT_OF_ROWS(Catch.afterCommitOf(MARKED)),
    BEFORE_THE_SLOTS(Catch.before("insert into .bloom_bits")),
    BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_fold")),
    AFTER_COMMIT(Catch.afterCommitOf("update .bloom_fold"));

    private final Catch where;

    FoldPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void whatWasRemovedIsFoldedOnce(FoldPoint point, Kill kill) throws Exception {
    try (SlotBloom maker = SlotBloom.on(site.tables())) {
      BloomFilter<Long> filter = reserve(maker, false);
      filter.addEach(numbers(10_001, 20_000));
      filter.fold();
    }
    List<Long> removed = leaveRemovals();
    List<Long> back = GONE.subList(0, 5);
    List<BloomFilter<Long>> opened = new ArrayList<>();
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            point.where,
            // Opening it begins to fold already.
            List.of("open " + name, "fold"),
            () -> {
              crashed.verifyTables();
              // Who opened it sooner would fold, too.
              opened.add(site.others().open(name, KeyType.longs()));
            });
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    BloomFilter<Long> survivor = opened.get(0);
    for (int i = 0; i < 2; i++) {
      crashed.assertThereWhollyOrNotAtAll(survivor, removed, false);
      crashed.assertThereWhollyOrNotAtAll(survivor, GONE.subList(5, 10), false);
      for (List<Long> there : List.of(back, BACKLOG, AT_STAKE, numbers(19_001, 20_000))) {
        crashed.assertThereWhollyOrNotAtAll(survivor, there, true);
      }
      crashed.assertWhatWasAcknowledgedIsFound(survivor);
      crashed.assertFoldsToWhatWasCommitted(survivor);
      assertSound();
    }
    assertThat(survivor.removeEach(removed)).containsOnly(false);
    assertThat(survivor.removeEach(back)).containsOnly(true);
  }

  /** Removes keys, brings others back, and adds some, and leaves all of that to be folded. */
  private List<Long> leaveRemovals() throws SQLException {
    List<Long> removed = new ArrayList<>();
    FilterState state;
    do {
      try (SlotBloom maker = SlotBloom.on(site.tables());
          BloomFilter<Long> filter = maker.open(name, KeyType.longs());
          Connection connection = site.tables().getConnection()) {
        connection.setAutoCommit(false);
        // More rows than one statement writes.
        List<Long> more = numbers(10_001 + removed.size(), 11_200 + removed.size());
        assertThat(filter.within(connection).removeEach(more)).containsOnly(true);
        removed.addAll(more);
        filter.within(connection).addEach(GONE.subList(0, 5));
        filter.within(connection).addEach(BACKLOG);
        connection.commit();
      }
      // A heartbeat may have had it folded before all was closed. Nobody does so from here on.
      state = crashed.state();
    } while (state.foldedSeq() == state.lastSeq());
    return removed;
  }

  /** Where deleting rows is interrupted that mean nothing since the filter was built anew. */
  enum PurgePoint {
    BEFORE_THE_ROWS(Catch.before("delete from .bloom_removed")),
    BETWEEN_THE_ROWS(Catch.before("delete from .bloom_removed", 1)),
    BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_removed")),
    AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_removed"));

    private final Catch where;

    PurgePoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void rowsOfBeforeGoAndNoOthers(PurgePoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve(false);
    // More rows than one transaction deletes.
    List<Long> before = numbers(10_001, 11_200);
    survivor.addEach(before);
    survivor.removeEach(before);
    List<Long> source = Stream.concat(ACKNOWLEDGED.stream(), AT_STAKE.stream()).toList();
    site.others()
        .admin()
        .replace(name, CAPACITY + 1, FilterCommands.source(source), ReplaceOptions.defaults());
    survivor.removeEach(AT_STAKE);
    survivor.fold();
    age();
    Optional<String> answer = site.crash(kill, point.where, "trim " + name);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    for (int i = 0; i < 2; i++) {
      assertEverywhere(survivor, List.of(ACKNOWLEDGED), List.of(before, GONE, AT_STAKE));
      assertSound();
      ForcedTrimming.trim(site.tables(), name);
    }
    // These, of the entries since, are all that is left.
    assertThat(removedRows()).isEqualTo(AT_STAKE.size());
    assertThat(survivor.removeEach(AT_STAKE)).containsOnly(false);
    assertThat(survivor.addEach(AT_STAKE)).containsOnly(true);
  }

  private long removedRows() throws SQLException {
    String table = site.sql().text("SELECT removed_table FROM bloom_filter WHERE name = ?", name);
    return site.sql().number("SELECT COUNT(*) FROM `" + table + "`");
  }

  /** Makes all entries old enough to leave the journal. */
  private void age() throws SQLException {
    site.sql()
        .run(
            "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE filter_id ="
                + " (SELECT id FROM bloom_filter WHERE name = ?)",
            name);
  }

  private void assertEverywhere(
      BloomFilter<Long> survivor, List<List<Long>> there, List<List<Long>> missing) {
    there.forEach(keys -> crashed.assertEverywhere(survivor, keys, true));
    missing.forEach(keys -> crashed.assertEverywhere(survivor, keys, false));
  }

  /** Where moving hashes from the journal to the blocks is interrupted. */
  enum CompactPoint {
    BEFORE_BLOCKS_GAIN(Catch.before("insert into .bloom_hash_block")),
    GAIN_BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_hash_block")),
    GAIN_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_hash_block")),
    COUNTS_BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_removed")),
    COUNTS_AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_removed")),
    BEFORE_BLOCKS_LOSE(Catch.before("insert into .bloom_hash_block", 1)),
    LOSE_BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_hash_block", 1)),
    LOSE_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_hash_block", 1)),
    BEFORE_THE_ENTRIES_GO(Catch.before("delete from .bloom_journal")),
    ENTRIES_BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_journal")),
    ENTRIES_AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_journal"));

    private final Catch where;

    CompactPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void blocksLoseWhatWasRemovedAndNothingElse(CompactPoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve(true);
    // As many as are worth rewriting blocks.
    List<Long> removed = numbers(10_001, 16_000);
    List<Long> back = removed.subList(0, 100);
    List<Long> stays = numbers(16_001, 20_000);
    List<Long> added = numbers(20_001, 25_000);
    survivor.addEach(removed);
    survivor.addEach(stays);
    // The newest entry stays in the journal.
    survivor.add(30_001L);
    survivor.fold();
    age();
    ForcedTrimming.trim(site.tables(), name);
    assertThat(removedRows()).isEqualTo(GONE.size());
    survivor.removeEach(removed);
    survivor.addEach(back);
    survivor.addEach(added);
    survivor.add(30_002L);
    survivor.fold();
    age();
    Optional<String> answer = site.crash(kill, point.where, "trim " + name);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    List<List<Long>> there =
        List.of(ACKNOWLEDGED, AT_STAKE, back, stays, added, numbers(30_001, 30_002));
    List<List<Long>> missing = List.of(GONE, removed.subList(100, removed.size()));
    long keys = there.stream().mapToLong(List::size).sum();
    for (int i = 0; i < 2; i++) {
      assertEverywhere(survivor, there, missing);
      assertThat(survivor.info().keysAdded()).isEqualTo(keys);
      assertSound();
      ForcedTrimming.trim(site.tables(), name);
    }
    // It knows no other keys than those of the blocks and of the journal.
    site.others()
        .admin()
        .replace(name, CAPACITY + 1, KeySource.journal(), ReplaceOptions.defaults());
    assertEverywhere(survivor, there, missing);
    assertThat(survivor.info().keysAdded()).isEqualTo(keys);
    assertSound();
    assertThat(survivor.removeEach(missing.get(1))).containsOnly(false);
    assertThat(survivor.removeEach(back)).containsOnly(true);
  }

  /** Where a filter is interrupted that is built anew by itself. */
  enum RebuildPoint {
    AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_")),
    BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_replacement")),
    AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_replacement")),
    FILL_BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_replacement")),
    FILL_AFTER_COMMIT(Catch.afterCommitOf("update .bloom_replacement")),
    CUTOVER_BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_replacement")),
    CUTOVER_AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_replacement")),
    BEFORE_THE_DROP(Catch.before("drop table")),
    AFTER_THE_DROP(Catch.after("drop table"));

    private final Catch where;

    RebuildPoint(Catch where) {
      this.where = where;
    }
  }

  static Stream<RebuildPoint> rebuilding() {
    return site.taken(RebuildPoint.values());
  }

  @ParameterizedTest
  @MethodSource("rebuilding")
  void anotherProcessFinishesWhatASelfRebuildLeft(RebuildPoint point) throws Exception {
    List<Long> keys = numbers(10_001, 14_000);
    // More than half of as many as may be removed.
    List<Long> removed = keys.subList(0, 2700);
    List<Long> left = keys.subList(2700, 4000);
    try (SlotBloom maker = SlotBloom.on(site.tables());
        BloomFilter<Long> filter = crashed.reserve(maker, FilterCommands.removable(5_200, true))) {
      filter.addEach(keys);
      assertThat(filter.removeEach(removed)).containsOnly(true);
      filter.fold();
    }
    List<BloomFilter<Long>> opened = new ArrayList<>();
    site.crash(
        Kill.PROCESS,
        List.of(),
        point.where,
        List.of("rebuild " + name),
        // Who opened it much sooner would build it anew, too.
        () -> opened.add(site.others().open(name, KeyType.longs())));
    BloomFilter<Long> survivor = opened.get(0);
    // Whatever was left behind, others go on.
    List<Long> since = numbers(20_001, 20_100);
    List<Long> removedSince = left.subList(0, 50);
    List<Long> back = removed.subList(0, 50);
    assertThat(survivor.addEach(since)).containsOnly(true);
    assertThat(survivor.removeEach(removedSince)).containsOnly(true);
    assertThat(survivor.addEach(back)).containsOnly(true);
    List<List<Long>> there = List.of(ACKNOWLEDGED, left.subList(50, left.size()), since, back);
    List<List<Long>> missing = List.of(removedSince, removed.subList(50, removed.size()));
    assertEverywhere(survivor, there, missing);
    crashed.verifyTables();
    site.sql().run("UPDATE bloom_replacement SET updated_at = updated_at - INTERVAL 1 HOUR");
    if (point.name().startsWith("CUTOVER_AFTER") || point.name().contains("DROP")) {
      // It answers alone. What is left of the old one goes with the next of these, or so.
      site.others().admin().abortReplacement(name);
    } else {
      ForcedRebuild.rebuild(site.tables(), name);
    }
    assertEverywhere(survivor, there, missing);
    assertThat(site.others().admin().replacement(name)).isEmpty();
    assertThat(site.schema().slotTables(name)).hasSize(1);
    long count = there.stream().mapToLong(List::size).sum();
    assertThat(survivor.info().keysAdded()).isEqualTo(count);
    crashed.assertFoldsToWhatWasCommitted(survivor);
    assertSound();
    for (List<Long> gone : missing) {
      assertThat(survivor.removeEach(gone)).containsOnly(false);
    }
    assertThat(survivor.removeEach(back)).containsOnly(true);
  }
}
