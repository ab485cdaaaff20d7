package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is folded in more than one transaction, and the rows that the first fold writes. */
@DatabaseContract(onOne = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class LargeFoldIT {

  private static final List<Long> KEYS = LongStream.range(0, 20_000).boxed().toList();
  private static final int ROWS_PER_STATEMENT = 1000;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  /** More slots than one transaction writes. */
  private static void reserve(String name) {
    there.reserve(name, FilterSpec.builder(KeyType.longs()).capacity(450_000).build()).close();
  }

  private static void assertHoldsExactly(String name, List<Long> keys) throws SQLException {
    there.admin(name).fold();
    FilterInfo info = there.info(name);
    assertThat(info.backlog()).isZero();
    assertThat(info.estimatedKeys()).isBetween(keys.size() * 0.99, keys.size() * 1.01);
    try (BloomFilter<Long> direct =
        there.open(name, KeyType.longs(), FilterOptions.defaults().withoutMirror())) {
      assertThat(direct.mightContainEach(keys)).doesNotContain(false);
    }
  }

  /** Stops the folder of a process where its second transaction begins to write. */
  private static Trap trapInSecondPart(BehindNetwork here) {
    return here.network()
        .trap(
            Trap.Place.BEFORE_SERVER,
            "^insert into `bloom_bits_",
            FoldShare.ROWS_PER_PART / ROWS_PER_STATEMENT);
  }

  private interface Loss {
    void in(Connection failover) throws SQLException;
  }

  /** Loses something while the process whose statement is caught reaches no server. */
  private static void failOver(BehindNetwork here, Trap trap, Loss loss) throws Exception {
    trap.caught().get(60, TimeUnit.SECONDS);
    here.network().refuse(true);
    trap.cut();
    try (Connection failover = ByHand.transaction(schema.dataSource().getConnection())) {
      loss.in(failover);
      failover.commit();
    }
    here.network().refuse(false);
  }

  @Test
  void theFirstFoldWritesARowForEverySlot() throws SQLException {
    there.reserve("rows", FilterSpec.builder(KeyType.longs()).capacity(10_000).build()).close();
    BloomFilter<Long> filter = there.open("rows", KeyType.longs());
    long slots =
        sql.number("SELECT (bits + 63) DIV 64 FROM bloom_generation_status WHERE name = 'rows'");
    for (int generation = 1; generation <= 2; generation++) {
      String table = sql.slots("rows", generation);
      filter.addEach(KEYS.subList(0, 10));
      there.admin(filter.name()).fold();
      assertThat(sql.number("SELECT COUNT(*) FROM " + table)).isEqualTo(slots);
      assertThat(sql.number("SELECT COUNT(*) FROM " + table + " WHERE bits <> 0"))
          .isBetween(10L, 80L);
      there.admin(filter.name()).clear();
    }
  }

  @Test
  void aLargeFilterGetsRowsAsTheyAreNeeded() throws SQLException {
    there.reserve("sparse", FilterSpec.builder(KeyType.longs()).capacity(10_000_000).build());
    BloomFilter<Long> filter = there.open("sparse", KeyType.longs());
    filter.addEach(KEYS.subList(0, 10));
    there.admin(filter.name()).fold();
    assertThat(sql.number("SELECT COUNT(*) FROM " + sql.slots("sparse", 1))).isBetween(10L, 80L);
  }

  @Test
  void anotherProcessFinishesAFoldThatDied() throws Exception {
    reserve("dead");
    BehindNetwork here = new BehindNetwork(schema);
    BloomFilter<Long> filter = here.bloom().open("dead", KeyType.longs());
    Trap trap = trapInSecondPart(here);
    filter.addEach(KEYS);
    trap.caught().get(60, TimeUnit.SECONDS);
    here.network().refuse(true);
    trap.cut();
    try (BloomFilter<Long> direct =
            there.open("dead", KeyType.longs(), FilterOptions.defaults().withoutMirror());
        BloomFilter<Long> mirrored = there.open("dead", KeyType.longs())) {
      assertThat(direct.mightContainEach(KEYS)).doesNotContain(false);
      assertThat(mirrored.mightContainEach(KEYS)).doesNotContain(false);
      assertThat(mirrored.addEach(KEYS)).doesNotContain(true);
    }
    assertHoldsExactly("dead", KEYS);
    here.network().refuse(false);
    filter.close();
    here.close();
  }

  @Test
  void aClearBetweenTwoPartsLeavesNoBits() throws Exception {
    reserve("cleared");
    try (BehindNetwork here = new BehindNetwork(schema);
        BloomFilter<Long> filter = here.bloom().open("cleared", KeyType.longs())) {
      Trap trap = trapInSecondPart(here);
      filter.addEach(KEYS);
      trap.caught().get(60, TimeUnit.SECONDS);
      trap.cut();
      there.admin(there.open("cleared", KeyType.longs()).name()).clear();
      filter.addEach(KEYS.subList(0, 100));
      there.admin(filter.name()).fold();
    }
    assertHoldsExactly("cleared", KEYS.subList(0, 100));
  }

  /**
   * What was read from the journal before a failover lost it must not pass for what took its place.
   */
  @Test
  void aFoldTakesTheEntriesThatAFailoverPutInPlaceOfOthers() throws Exception {
    reserve("lost");
    long id = there.info("lost").id();
    try (BehindNetwork here = new BehindNetwork(schema);
        BloomFilter<Long> filter = here.bloom().open("lost", KeyType.longs())) {
      Trap trap = trapInSecondPart(here);
      try (Connection folding = ByHand.holdingFoldLockOf(id, schema.dataSource().getConnection())) {
        filter.addEach(KEYS);
        filter.add(-1L);
        folding.rollback();
      }
      failOver(
          here,
          trap,
          failover -> {
            long kept =
                sql.number("SELECT last_seq - 1 FROM bloom_filter_status WHERE filter_id = ?", id);
            ByHand.loseEntriesAfter(kept, id, failover);
            ByHand.append(failover, "lost", ByHand.hash(-2), 42);
          });
      there.admin(filter.name()).fold();
    }
    assertHoldsExactly(
        "lost", LongStream.range(-2, KEYS.size()).filter(key -> key != -1).boxed().toList());
  }

  /** The journal holds everything still, but not the slots what the first part wrote. */
  @Test
  void aPartThatAFailoverLostIsFoldedAgain() throws Exception {
    reserve("part");
    long id = there.info("part").id();
    try (BehindNetwork here = new BehindNetwork(schema);
        BloomFilter<Long> filter = here.bloom().open("part", KeyType.longs())) {
      Trap trap = trapInSecondPart(here);
      sql.run("UPDATE bloom_fold SET folded_at = '2001-01-01' WHERE filter_id = ?", id);
      filter.addEach(KEYS);
      failOver(
          here,
          trap,
          failover -> {
            Sql.run(
                failover, "UPDATE bloom_fold SET folded_at = '2001-01-01' WHERE filter_id = ?", id);
            Sql.run(failover, "DELETE FROM " + sql.slots("part", 1));
          });
      there.admin(filter.name()).fold();
    }
    assertHoldsExactly("part", KEYS);
  }
}
