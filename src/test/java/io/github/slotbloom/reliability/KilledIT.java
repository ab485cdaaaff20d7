package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrashedFilter.ACKNOWLEDGED;
import static io.github.slotbloom.reliability.CrashedFilter.AT_STAKE;
import static io.github.slotbloom.reliability.CrashedFilter.CAPACITY;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A real process, or the real server, is killed at a statement, and the server starts again on its
 * data. The schedules of {@code ShortProgramsIT} cut processes off at each statement of each call;
 * this shows that the real thing is like that.
 */
@Tag("servers")
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class KilledIT {

  private static CrashSite site;

  private final CrashedFilter crashed = new CrashedFilter(site);
  private final String name = crashed.name();

  @BeforeDatabase
  static void start(TestDatabase like) throws Exception {
    site = new CrashSite(like);
  }

  @AfterDatabase
  static void end() throws Exception {
    site.close();
  }

  @AfterEach
  void heal() {
    crashed.close();
    site.heal();
  }

  @Test
  void aProcessThatDiesBeforeItsAppendArrivesLeavesNothing() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    crashAtWrite(Kill.PROCESS, Catch.before("insert.* into .bloom_journal", 0), "add 101..103");
    assertRecorded(survivor, false);
  }

  @Test
  void anAppendThatTheServerDidNotAnswerOutlivesIt() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        crashAtWrite(Kill.SERVER, Catch.after("insert.* into .bloom_journal"), "add 101..103");
    // Whoever lives through it is told what became of it.
    assertThat(answer).contains("3");
    assertRecorded(survivor, true);
  }

  private Optional<String> crashAtWrite(Kill kill, Catch where, String command) throws Exception {
    return site.crash(
        kill, List.of("open " + name), where, List.of(command), crashed::verifyTables);
  }

  private void assertRecorded(BloomFilter<Long> survivor, boolean recorded) throws Exception {
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, recorded);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, AT_STAKE, !recorded);
  }

  @Test
  void aServerThatDiesInTheMiddleOfAFoldFoldsEachEntryOnce() throws Exception {
    List<Long> backlog = crashed.leaveBacklog();
    site.crash(
        Kill.SERVER,
        List.of(),
        Catch.before("insert into .bloom_bits", 1),
        List.of("open " + name, "fold"),
        crashed::verifyTables);
    try (BloomFilter<Long> survivor = site.others().open(name, KeyType.longs())) {
      crashed.assertThereWhollyOrNotAtAll(survivor, backlog, true);
      crashed.assertWhatWasAcknowledgedIsFound(survivor);
      crashed.assertFoldsToWhatWasCommitted(survivor);
    }
  }

  @Test
  void aRemovalIsRepeatedWhereItsServerDied() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve(site.others(), FilterCommands.removable(CAPACITY));
    survivor.addEach(AT_STAKE);
    Optional<String> answer =
        crashAtWrite(
            Kill.SERVER, Catch.before("insert.* into .bloom_journal", 0), "remove 101..103");
    assertThat(answer).contains("3");
    crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, false);
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertFoldsToWhatWasCommitted(survivor);
  }

  @Test
  void aClearThatDiesBeforeItsCommitLeavesAllKeys() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    crashClear(Kill.PROCESS, Catch.after("^update .bloom_filter"));
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    crashed.assertRetried(survivor, ACKNOWLEDGED, false);
    // The next one uses the table that was made.
    site.others().admin(name).clear();
    crashed.assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, false);
    crashed.assertRetried(survivor, ACKNOWLEDGED, true);
    assertOneTable();
  }

  @Test
  void aClearThatDiesAfterItsCommitLeavesNoKey() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    crashClear(Kill.PROCESS, Catch.afterCommitOf("delete from .bloom_replacement"));
    // Nobody waited for the lease, in which a mirror may still say yes. A no makes it catch up.
    assertThat(survivor.mightContainEach(CrashedFilter.NEVER_ADDED)).containsOnly(false);
    crashed.assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, false);
    crashed.assertRetried(survivor, ACKNOWLEDGED, true);
    // Anybody drops what it left.
    site.others().admin(name).abortReplacement();
    assertOneTable();
  }

  @Test
  void aClearOutlivesItsServerAndTakesPlaceOnce() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        crashClear(Kill.SERVER, Catch.afterCommitOf("delete from .bloom_replacement"));
    assertThat(answer).contains("ok");
    assertThat(site.sql().number("SELECT epoch FROM bloom_filter WHERE name = ?", name))
        .isEqualTo(2);
    crashed.assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, false);
    crashed.assertRetried(survivor, ACKNOWLEDGED, true);
    assertOneTable();
  }

  private Optional<String> crashClear(Kill kill, Catch moment) throws Exception {
    return site.crash(kill, List.of("open " + name), moment, List.of("clear"), () -> {});
  }

  private void assertOneTable() throws Exception {
    assertThat(site.schema().slotTables(name))
        .containsExactly(site.others().info(name).generations().get(0).slotTable());
  }

  @Test
  void aCutOverOutlivesItsServer() throws Exception {
    BloomFilter<Long> survivor = crashed.reserve();
    Optional<String> answer =
        site.crash(
            Kill.SERVER,
            Catch.afterCommitOf("delete from .bloom_replacement"),
            "replace " + name + " " + 2 * CAPACITY + " 1..50");
    assertThat(answer).contains("ok");
    crashed.assertWhatWasAcknowledgedIsFound(survivor);
    assertThat(site.others().info(name).capacity()).isEqualTo(2 * CAPACITY);
    assertOneTable();
    crashed.assertFoldsToWhatWasCommitted(survivor);
  }
}
