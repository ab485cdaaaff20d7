package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Keys;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process that writes alone moves the head without reading it first. Whatever it did not expect
 * there makes it read and decide again.
 */
@OddHours
@DatabaseContract(shortLeases = true)
@Timeout(180)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.CAPACITY_REACHED)
@Tag("mysql")
class WritingAloneIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static BloomFilter<String> reserve(String name) {
    return here.reserve(name, Use.MIRRORED.spec(KeyType.text()));
  }

  private static void writeAlone(BloomFilter<String> filter) {
    writeAlone(filter, 0);
  }

  private static void writeAlone(BloomFilter<String> filter, int round) {
    for (int i = 0; i < 4; i++) {
      assertThat(filter.add("alone " + round + " " + i)).isTrue();
    }
  }

  @Test
  void aProcessThatWritesAloneDoesNotReadTheHead() {
    RecordedSql sent = new RecordedSql(schema.pool(pool -> {}));
    reserve("short").close();
    try (SlotBloom recorded = SlotBloom.on(sent.dataSource());
        BloomFilter<String> filter = recorded.open("short", KeyType.text())) {
      writeAlone(filter);
      sent.clear();
      assertThat(filter.add("x")).isTrue();
      assertThat(sent.texts())
          .filteredOn(
              text ->
                  text.matches(
                      "(?is)(set statement .* for )?(insert|update) .*(bloom_filter|journal).*"))
          .hasSize(1);
      assertThat(sent.texts())
          .filteredOn(text -> text.matches("(?is)select .*from `bloom_filter` .*for update"))
          .isEmpty();
    }
  }

  /** So the append does not wait for the lock itself: nobody could say whether it took place. */
  @Test
  void aCallerWhoseTimeRunsOutWhileAnotherHoldsTheLockLearnsThatNothingIsRecorded()
      throws SQLException {
    reserve("held").close();
    BloomFilter<String> filter =
        here.open("held", KeyType.text(), FilterOptions.defaults().timeout(Duration.ofSeconds(2)));
    writeAlone(filter);
    try (Connection lock =
        ByHand.holdingLockOf(filter.name(), schema.dataSource().getConnection())) {
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> filter.add("x"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      lock.rollback();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
    assertThat(filter.add("x")).isTrue();
  }

  @Test
  void keysThatOthersAddedMeanwhileAreNotNew() {
    BloomFilter<String> filter = reserve("others");
    BloomFilter<String> other = there.open("others", KeyType.text());
    for (int round = 0; round < 3; round++) {
      writeAlone(filter, round);
      assertThat(other.addEach(List.of("x" + round, "y" + round))).containsOnly(true);
      assertThat(filter.addEach(List.of("x" + round, "z" + round))).containsExactly(false, true);
      assertThat(other.addEach(List.of("y" + round, "z" + round))).containsOnly(false);
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(3 * (4 + 3));
  }

  @Test
  void aCapacityThatWasLoweredMeanwhileHolds() {
    BloomFilter<String> filter =
        here.reserve(
            "lowered",
            FilterSpec.builder(KeyType.text()).capacity(1000).onFull(OnFull.REFUSE).build());
    writeAlone(filter);
    List<String> all = IntStream.range(0, 4).mapToObj(i -> "alone 0 " + i).toList();
    there.admin("lowered").replace(5, Keys.source(all), ReplaceOptions.defaults());
    assertThat(filter.add("x")).isTrue();
    assertThat(catchThrowableOfType(FilterFullException.class, () -> filter.add("y")))
        .hasMessageContaining("lowered");
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(5);
  }

  @Test
  @PossibleLog(KnownLogs.FOLDING_FAILED)
  void aHashFunctionChangedMeanwhileIsRefused() throws SQLException {
    BloomFilter<String> filter = reserve("changed");
    writeAlone(filter, 0);
    sql.run("UPDATE bloom_filter SET seed = seed + 1 WHERE name = 'changed'");
    assertThat(catchThrowableOfType(CorruptFilterException.class, () -> filter.add("x")))
        .hasMessageContaining("seed was");
    sql.run("UPDATE bloom_filter SET seed = seed - 1 WHERE name = 'changed'");
    assertThat(filter.add("x")).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(5);
  }

  /** The last transaction was lost, as in a failover, and its keys are new again. */
  @Test
  void keysLostMeanwhileAreNewAgain() throws SQLException {
    BloomFilter<String> filter = reserve("lost");
    writeAlone(filter, 0);
    long id = here.info(filter.name()).id();
    // At once, or the mirror is reloaded in between, while the slots hold the lost key still.
    try (Connection failover = ByHand.transaction(schema.dataSource().getConnection())) {
      ByHand.loseEntriesAfter(3, id, failover);
      Sql.run(failover, "UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", id);
      Sql.run(failover, "DELETE FROM " + sql.slots("lost", 1));
      failover.commit();
    }
    writeAlone(filter, 1);
    assertThat(filter.add("alone 0 3")).isTrue();
    there.admin("lost").fold();
    assertThat(there.info("lost").keysAdded()).isEqualTo(3 + 4 + 1);
  }
}
