package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Adding goes no faster than folding for long. */
@DatabaseContract(onOne = true)
@Timeout(180)
class BacklogIT {

  private static final int LIMIT = 3;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private static BloomFilter<Long> open(String name, Duration timeout) {
    return bloom.open(
        name, KeyType.longs(), FilterOptions.defaults().backlogLimit(LIMIT).timeout(timeout));
  }

  private static Connection keepFromFolding(String name) throws SQLException {
    bloom.reserve(name, FilterSpec.builder(KeyType.longs()).capacity(1000).build()).close();
    return ByHand.holdingFoldLockOf(bloom.info(name).id(), schema.dataSource().getConnection());
  }

  private static void fill(BloomFilter<Long> filter) {
    for (long key = 0; key < LIMIT; key++) {
      assertThat(filter.add(key)).isTrue();
    }
  }

  @Test
  void anAddHeldBackTooLongFailsAndRecordsNothing() throws SQLException {
    try (Connection folding = keepFromFolding("held_back");
        BloomFilter<Long> patient = open("held_back", Duration.ofSeconds(60));
        BloomFilter<Long> filter = open("held_back", Duration.ofSeconds(1))) {
      fill(filter);
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> filter.add(99L));
      assertThat(failure)
          .hasMessageContainingAll(
              "Could not add to filter held_back within 1 s",
              "folding must catch up first: 3 journal entries are waiting",
              "filter's backlogLimit is 3",
              "None of these keys was recorded");
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(bloom.info("held_back").keysAdded()).isEqualTo(LIMIT);
      // What is in the filter already needs no room.
      assertThat(filter.add(0L)).isFalse();
      assertThat(patient.mightContain(1L)).isTrue();
      folding.rollback();
      assertThat(patient.add(99L)).isTrue();
    }
  }

  @Test
  void entriesOfOtherProcessesCount() throws Exception {
    try (Connection folding = keepFromFolding("others");
        BloomFilter<Long> here = open("others", Duration.ofSeconds(1));
        BloomFilter<Long> there = open("others", Duration.ofSeconds(60))) {
      fill(there);
      // It hears of them with the next heartbeat.
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          catchThrowableOfType(
                              WriteFailedException.class, () -> here.add(System.nanoTime())))
                      .hasMessageContaining("folding must catch up first"));
      folding.rollback();
      await()
          .ignoreExceptionsInstanceOf(WriteFailedException.class)
          .until(() -> here.add(System.nanoTime()));
    }
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aShorterRestoredJournalHoldsNoAddBack() throws Exception {
    try (Connection folding = keepFromFolding("shorter");
        BloomFilter<Long> filter = open("shorter", Duration.ofSeconds(20))) {
      fill(filter);
      CompletableFuture<Boolean> waiting = filter.addAsync(99L);
      try (Connection failover = ByHand.transaction(schema.dataSource().getConnection())) {
        ByHand.loseEntriesAfter(1, bloom.info("shorter").id(), failover);
        failover.commit();
      }
      assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
      folding.rollback();
    }
  }
}
