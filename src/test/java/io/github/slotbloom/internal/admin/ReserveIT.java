package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A name has one filter, whoever reserves it and whatever went wrong before. */
@DatabaseContract
class ReserveIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  @Fixture private static Instances instances;
  @Fixture private static SlotBloom bloom;
  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  @Test
  void anExistingNameIsRefused() {
    bloom.reserve("taken", SPEC).add("x");
    assertThatThrownBy(() -> bloom.reserve("taken", SPEC))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContaining("Filter taken already exists, with a capacity of 1000 keys");
    assertThat(bloom.open("taken", SPEC).mightContain("x")).isTrue();
  }

  @Test
  void theLongestNameWorks() {
    String longest = "a234567890123456789012345678901234567890";
    assertThat(bloom.reserve(longest, SPEC).add("x")).isTrue();
    bloom.admin(longest).fold();
    assertThat(bloom.info(longest).bitsSet()).isPositive();
  }

  @Test
  void oneOfSeveralReservationsWins() throws Exception {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    Queue<BloomFilter<String>> reserved = new ConcurrentLinkedQueue<>();
    instances.atOnce(
        3,
        user -> {
          try {
            reserved.add(user.reserve("contested", SPEC));
          } catch (FilterExistsException e) {
            failures.add(e);
          }
        });
    assertThat(reserved).hasSize(1);
    assertThat(failures).hasSize(2);
  }

  @Test
  void anIdAndATableNameAreNeverUsedAgain() {
    bloom.reserve("again", SPEC).add("old");
    long firstId = bloom.info("again").id();
    bloom.admin("again").drop();
    String prepared = bloom.reserveSql("again", SPEC);
    BloomFilter<String> second = bloom.reserve("again", SPEC);
    assertThat(bloom.info(second.name()).id()).isGreaterThan(firstId);
    String table = "bloom_bits_" + bloom.info(second.name()).id() + "_again_v1";
    assertThat(bloom.info(second.name()).generations().get(0).slotTable()).isEqualTo(table);
    assertThat(prepared).contains("`" + table + "`");
    assertThat(second.mightContain("old")).isFalse();
    assertThat(second.add("old")).isTrue();
  }

  @Test
  void aTableThatIsMadeAfterTheReservationWasDroppedIsDroppedToo() throws Exception {
    try (BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(2))) {
      Trap trap =
          late.network()
              .trap(Trap.Place.BEFORE_SERVER, "create table.*bloom_bits_[0-9]+_given_up_v1");
      CompletableFuture<BloomFilter<String>> reserving =
          CompletableFuture.supplyAsync(() -> late.bloom().reserve("given_up", SPEC));
      trap.caught().get(60, TimeUnit.SECONDS);
      bloom.admin("given_up").drop();
      trap.release();
      assertThatThrownBy(() -> reserving.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterExistsException.class)
          .hasMessageContaining("was created or dropped by another process");
    }
    assertThat(schema.slotTables("given_up")).isEmpty();
    assertThat(bloom.reserve("given_up", SPEC).add("x")).isTrue();
  }

  /** A failover loses what was committed last. */
  @Test
  void aReservationWhoseTableWasLostIsRepeated() throws Exception {
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).buildRemovable(10);
    for (String lost : List.of("bits", "removed")) {
      String name = "lost_" + lost;
      try (BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(2))) {
        Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "bloom_filter.*for update");
        CompletableFuture<BloomFilter<String>> reserving =
            CompletableFuture.supplyAsync(() -> late.bloom().reserve(name, spec));
        trap.caught().get(60, TimeUnit.SECONDS);
        String table =
            sql.text(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                    + " AND table_name LIKE ?",
                "bloom\\_" + lost + "\\_%\\_" + name + "%");
        sql.run("DROP TABLE " + table);
        trap.release();
        assertThatThrownBy(() -> reserving.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(SchemaException.class)
            .hasMessageContainingAll(table + " was created and is missing", "Reserve again");
      }
      assertThat(bloom.names()).doesNotContain(name);
      assertThat(bloom.reserve(name, spec).add("x")).isTrue();
    }
  }

  /** It was to have a table of removed keys, which the one that took over has not. */
  @Test
  void aTableThatALateReservationMadeGoesWithTheFilter() throws Exception {
    FilterSpec<String> removable =
        FilterSpec.builder(KeyType.text()).capacity(1000).buildRemovable(10);
    try (BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(2))) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "create table.*bloom_removed");
      CompletableFuture<BloomFilter<String>> reserving =
          CompletableFuture.supplyAsync(() -> late.bloom().reserve("taken_over", removable));
      trap.caught().get(60, TimeUnit.SECONDS);
      sql.run(
          "UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 MINUTE WHERE name ="
              + " 'taken_over'");
      bloom.reserve("taken_over", SPEC).close();
      trap.release();
      assertThatThrownBy(() -> reserving.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterExistsException.class);
    }
    bloom.admin("taken_over").drop();
    assertThat(sql.texts("SHOW TABLES LIKE '%taken_over%'")).isEmpty();
  }

  @Test
  void anUnfinishedReservationIsNotListed() throws SQLException {
    makeUnfinished("half", 1);
    assertThat(bloom.names()).doesNotContain("half");
    assertThatThrownBy(() -> bloom.open("half", SPEC)).isInstanceOf(FilterNotFoundException.class);
  }

  @Test
  void aReservationThatAnotherProcessFinishesIsWaitedFor() throws Exception {
    makeUnfinished("slow", 0);
    CompletableFuture<BloomFilter<String>> waiting =
        CompletableFuture.supplyAsync(() -> bloom.openOrReserve("slow", SPEC));
    sql.run("UPDATE bloom_filter SET state = 'ACTIVE' WHERE name = 'slow'");
    assertThat(waiting.get(60, TimeUnit.SECONDS).add("x")).isTrue();
    assertThat(bloom.info("slow").generations().get(0).number()).isEqualTo(1);
  }

  @Test
  @Timeout(45)
  void aPreparedTableWithRowsIsRefusedAndNothingIsLeft() throws SQLException {
    sql.runScript(bloom.reserveSql("stray", SPEC));
    String table = sql.slots("stray", 1);
    sql.run("INSERT INTO " + table + " VALUES (0, 1)");
    assertThatThrownBy(() -> bloom.reserve("stray", SPEC))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining(table);
    sql.run("DELETE FROM " + table);
    assertThat(bloom.reserve("stray", SPEC).add("x")).isTrue();
    assertThat(bloom.info("stray").generations().get(0).number()).isEqualTo(1);
  }

  /** As a process leaves it that is killed before it has made the table. */
  private static void makeUnfinished(String name, int secondsAgo) throws SQLException {
    bloom.reserve(name, SPEC).close();
    sql.run(
        "UPDATE bloom_filter SET state = 'RESERVING', created_at = UTC_TIMESTAMP(3) - INTERVAL ?"
            + " SECOND WHERE name = ?",
        secondsAgo,
        name);
  }
}
