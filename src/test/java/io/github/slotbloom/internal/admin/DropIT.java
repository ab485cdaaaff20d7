package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A filter that is dropped is gone for every process. */
@OddHours
@DatabaseContract(shortLeases = true)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Tag("mysql")
class DropIT {

  private static final Use USE = Use.MIRRORED;

  private static final FilterSpec<String> SPEC = Use.MIRRORED.spec(KeyType.text());

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @Test
  void openFiltersSayThatTheyWereDropped() throws SQLException {
    String name = USE.filterName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    String tables = slotTablesOf(name);
    mine.add("a");
    assertThat(theirs.mightContain("a")).isTrue();
    assertThat(sql.texts("SHOW TABLES LIKE ?", tables)).hasSize(1);

    here.admin(name).drop();

    assertGone(name, mine, theirs);
    assertThat(here.names()).doesNotContain(name);
    assertThatThrownBy(() -> here.admin(name).drop()).isInstanceOf(FilterNotFoundException.class);
    assertThat(sql.texts("SHOW TABLES LIKE ?", tables)).isEmpty();
  }

  private static String slotTablesOf(String name) {
    return "bloom\\_bits\\_" + here.info(name).id() + "\\_%";
  }

  /** A table that an operator made has no row, and somebody may have deleted the others. */
  @Test
  void noTableOfAFilterStaysWhateverTheirRowsSay() throws SQLException {
    here.reserve("rowless", SPEC).close();
    here.admin("rowless").grow(SPEC.capacity() + 5000);
    sql.runScript(here.admin("rowless").growSql());
    String tables = slotTablesOf("rowless");
    assertThat(sql.texts("SHOW TABLES LIKE ?", tables)).hasSize(3);
    sql.run("DELETE FROM bloom_table WHERE filter_id = ?", here.info("rowless").id());
    here.admin("rowless").drop();
    assertThat(sql.texts("SHOW TABLES LIKE ?", tables)).isEmpty();
    assertThat(here.names()).doesNotContain("rowless");
  }

  @SafeVarargs
  private static void assertGone(String name, BloomFilter<String>... filters) throws SQLException {
    try (Connection transaction = ByHand.transaction(schema.dataSource().getConnection())) {
      for (BloomFilter<String> filter : filters) {
        for (ThrowingCallable call : Calls.ofEachKind(filter, transaction)) {
          assertThatThrownBy(call)
              .isInstanceOf(FilterNotFoundException.class)
              .hasMessageContaining(name);
        }
      }
      transaction.rollback();
    }
  }

  @Test
  void anOpenFilterDoesNotBecomeAnotherOneOfTheSameName() throws SQLException {
    String name = "heir_" + USE.filterName();
    here.reserve(name, USE.spec(KeyType.text())).close();
    BloomFilter<String> old = USE.open(there, name);
    BloomFilter<String> bounded = Use.openBounded(there, name, Duration.ofMinutes(1));
    old.add("a");
    here.admin(name).drop();
    BloomFilter<Long> heir =
        here.reserve(name, FilterSpec.builder(KeyType.longs()).capacity(50).build());
    heir.add(1L);
    assertGone(name, old, bounded);
    assertThat(heir.mightContain(1L)).isTrue();
    assertThat(here.info(heir.name()).keysAdded()).isEqualTo(1);
  }

  /** The server that took over knows nothing of the drop. */
  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aFilterThatAFailoverBroughtBackIsNotDropped() throws Exception {
    String name = USE.filterName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.add("a");
    here.admin(name).fold();
    Backup replica = Backup.of(schema.dataSource(), name);
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "drop table.*_v1");
      CompletableFuture<Void> dropping =
          CompletableFuture.runAsync(() -> late.bloom().admin(name).drop());
      trap.caught().get(60, TimeUnit.SECONDS);
      replica.restore(schema.dataSource());
      trap.cut();
      assertThatThrownBy(() -> dropping.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll(name + " was not dropped", "repeat the call");
    }
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1));
    assertThat(filter.addEach(List.of("a", "b"))).containsExactly(false, true);
    assertThat(Use.DIRECT.open(there, name).mightContain("a")).isTrue();
  }

  @Test
  void aDropThatWasCutOffIsFinishedByTheNextCall() throws SQLException {
    here.reserve("cut_off", SPEC).add("a");
    // What a process leaves that dies after it has dropped the table.
    sql.run("UPDATE bloom_filter SET state = 'DROPPING', epoch = epoch + 1 WHERE name = 'cut_off'");
    sql.run("DROP TABLE " + sql.slots("cut_off", 1));
    assertThat(there.names()).doesNotContain("cut_off");
    assertThatThrownBy(() -> there.reserve("cut_off", SPEC))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContaining("Drop it again");
    assertThatThrownBy(() -> there.admin("cut_off").clear())
        .isInstanceOf(FilterNotFoundException.class);
    there.admin("cut_off").drop();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter WHERE name = 'cut_off'")).isZero();
    assertThat(there.reserve("cut_off", SPEC).add("a")).isTrue();
  }
}
