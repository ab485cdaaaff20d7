package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrashedFilter.ACKNOWLEDGED;
import static io.github.slotbloom.reliability.CrashedFilter.AT_STAKE;
import static io.github.slotbloom.reliability.CrashedFilter.CAPACITY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.testing.DatabaseContract;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A process, or the server, is killed at every step of making, clearing, renaming and dropping a
 * filter.
 *
 * <p>Every build takes each point once, with one of the two kills on one of the databases. {@code
 * -Dslotbloom.test.long=true} takes each with both kills on all of them.
 */
@DatabaseContract
@Tag("servers")
@Tag("long")
class LifecycleCrashPointsIT extends AtCrashSite {

  private static final Runnable NOTHING = () -> {};

  /** Where making a filter is interrupted. */
  enum ReservePoint {
    BEFORE_THE_TABLE(Catch.before("create table.*bloom_bits_"), false),
    AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), false),
    BEFORE_ACTIVATION(Catch.before("update .bloom_filter.*'ACTIVE'"), false),
    AFTER_ACTIVATION(Catch.afterCommitOf("update .bloom_filter.*'ACTIVE'"), true);

    private final Catch where;
    private final boolean made;

    ReservePoint(Catch where, boolean made) {
      this.where = where;
      this.made = made;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void aReservationIsDoneOrAnotherProcessCanRepeatIt(ReservePoint point, Kill kill)
      throws Exception {
    String command = "reserve " + name + " " + CAPACITY;
    Optional<String> answer = site.crash(kill, point.where, command);
    if (kill == Kill.PROCESS) {
      assertThat(site.others().list().contains(name)).isEqualTo(point.made);
    }
    if (answer.equals(Optional.of("ok"))) {
      assertThat(site.others().list()).contains(name);
    }
    // As if some time had passed.
    site.sql().run("UPDATE bloom_filter SET created_at = '2000-01-01' WHERE name = ?", name);
    BloomFilter<Long> survivor = site.others().openOrReserve(name, FilterCommands.spec(CAPACITY));
    assertThat(survivor.info().generations()).hasSize(1);
    assertThat(survivor.info().generations().get(0).number()).isEqualTo(1);
    assertThat(survivor.addEach(ACKNOWLEDGED)).containsOnly(true);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertFoldsToWhatWasCommitted(survivor);
  }

  /** Where clearing is interrupted. */
  enum ClearPoint {
    BEFORE_THE_NEW_EPOCH(Catch.beforeCommitOf("update .bloom_fold"), "ACTIVE", 1),
    AFTER_THE_NEW_EPOCH(Catch.afterCommitOf("update .bloom_fold"), "CLEARING", 2),
    AFTER_SLOTS(Catch.after("delete from .bloom_bits"), "CLEARING", 2),
    BEFORE_THE_JOURNAL(Catch.before("delete from .bloom_journal"), "CLEARING", 2),
    BEFORE_THE_END(Catch.beforeCommitOf("update .bloom_filter.*'ACTIVE'"), "CLEARING", 2),
    AFTER_THE_END(Catch.afterCommitOf("update .bloom_filter.*'ACTIVE'"), "ACTIVE", 2);

    private final Catch where;
    private final String state;
    private final long epoch;

    ClearPoint(Catch where, String state, long epoch) {
      this.where = where;
      this.state = state;
      this.epoch = epoch;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void aClearThatHasBegunCanBeFinishedByAnotherProcess(ClearPoint point, Kill kill)
      throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        site.crash(kill, List.of("open " + name), point.where, List.of("clear"), NOTHING);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    if (kill == Kill.PROCESS) {
      FilterState left = crashed.state();
      left.verify();
      assertThat(left.state()).isEqualTo(point.state);
      assertThat(left.epoch()).isEqualTo(point.epoch);
      if (left.epoch() == 1) {
        crashed.assertWhatWasAcknowledgedIsFound(survivor);
      }
      site.others().admin().clear(name);
    }
    FilterState cleared = crashed.state();
    cleared.verifyFolded();
    assertThat(cleared.state()).isEqualTo("ACTIVE");
    assertThat(cleared.keysAdded()).isZero();
    crashed.assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, false);
    crashed.assertRetried(survivor, ACKNOWLEDGED, true);
  }

  /** Where renaming is interrupted. */
  enum RenamePoint {
    BEFORE_THE_LOCK(Catch.before("bloom_filter.*for update"), false),
    BEFORE_THE_COMMIT(Catch.beforeCommitOf("update .bloom_journal"), false),
    AFTER_THE_COMMIT(Catch.afterCommitOf("update .bloom_journal"), true);

    private final Catch where;
    private final boolean renamed;

    RenamePoint(Catch where, boolean renamed) {
      this.where = where;
      this.renamed = renamed;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void aRenamedFilterHasOneNameAndAllItsKeys(RenamePoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    String newName = name + "_renamed";
    Optional<String> answer = site.crash(kill, point.where, "rename " + name + " " + newName);
    // Somebody who lives through the crash of the server goes on.
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    boolean renamed = answer.isPresent() || point.renamed;
    assertThat(site.others().list().contains(newName)).isEqualTo(renamed);
    assertThat(site.others().list().contains(name)).isEqualTo(!renamed);
    if (renamed) {
      assertThatThrownBy(() -> survivor.addEach(AT_STAKE))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("was renamed to " + newName);
      try (BloomFilter<Long> opened = site.others().open(newName, KeyType.longs())) {
        assertThat(opened.addEach(ACKNOWLEDGED)).containsOnly(false);
      }
      site.others().admin().rename(newName, name);
    }
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, AT_STAKE, true);
  }

  /** Where dropping is interrupted. */
  enum DropPoint {
    AFTER_THE_MARK(Catch.afterCommitOf("update .bloom_fold")),
    BEFORE_THE_TABLE(Catch.before("drop table.*_v1")),
    AFTER_THE_TABLE(Catch.after("drop table.*_v1")),
    BEFORE_THE_JOURNAL(Catch.before("delete from .bloom_journal")),
    BEFORE_THE_ROWS(Catch.before("delete from .bloom_filter")),
    AFTER_THE_ROWS(Catch.afterCommitOf("delete from .bloom_filter"));

    private final Catch where;

    DropPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void anotherProcessCanFinishADrop(DropPoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    long id = survivor.info().id();
    Optional<String> answer = site.crash(kill, point.where, "drop " + name);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    assertThat(site.others().list()).doesNotContain(name);
    assertThatThrownBy(() -> survivor.addEach(AT_STAKE))
        .isInstanceOf(FilterNotFoundException.class);
    if (answer.isEmpty() && point != DropPoint.AFTER_THE_ROWS) {
      site.others().admin().drop(name);
    }
    assertThatThrownBy(() -> site.others().admin().drop(name))
        .isInstanceOf(FilterNotFoundException.class);
    assertThat(site.sql().texts("SHOW TABLES LIKE '%\\_" + name + "\\_%'")).isEmpty();
    assertThat(site.sql().number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ?", id))
        .isZero();
    BloomFilter<Long> second = crashed.reserve();
    assertThat(second.info().generations().get(0).number()).isEqualTo(2);
    crashed.assertWhatWasAcknowledgedIsFound(second);
  }

  /** Whoever reserves the name anew removes the expired filter first. */
  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void anotherProcessCanFinishTheRemovalOfAnExpiredFilter(DropPoint point, Kill kill)
      throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    long id = survivor.info().id();
    site.others().admin().expireAt(name, Instant.EPOCH);
    Optional<String> answer = site.crash(kill, point.where, "reserve " + name + " " + CAPACITY);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    assertThatThrownBy(() -> survivor.addEach(AT_STAKE))
        .isInstanceOf(FilterNotFoundException.class);
    // As if some time had passed since a reservation that was cut off.
    site.sql()
        .run(
            "UPDATE bloom_filter SET created_at = '2000-01-01' WHERE name = ? AND state = ?",
            name,
            "RESERVING");
    BloomFilter<Long> second = site.others().openOrReserve(name, FilterCommands.spec(CAPACITY));
    assertThat(site.sql().texts("SHOW TABLES LIKE '%\\_" + name + "\\_v1'")).isEmpty();
    assertThat(site.sql().number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ?", id))
        .isZero();
    assertThat(second.info().generations().get(0).number()).isEqualTo(2);
    assertThat(second.addEach(ACKNOWLEDGED)).containsOnly(true);
    crashed.assertWhatWasAcknowledgedIsFound(second);
  }
}
