package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports that are killed, frozen, dropped meanwhile, or robbed of their tables by a failover. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@Tag("mysql")
class ImportFaultsIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec.Builder<String> spec(long capacity) {
    return FilterSpec.builder(KeyType.text()).capacity(capacity);
  }

  /** Nothing is left of a filter of that name but the numbers that it will never use again. */
  static void assertNothingLeft(Sql sql, String name) throws SQLException {
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter WHERE name = ?", name)).isZero();
    assertThat(
            sql.number(
                "SELECT (SELECT COUNT(*) FROM bloom_table WHERE filter_id NOT IN (SELECT id"
                    + " FROM bloom_filter)) + (SELECT COUNT(*) FROM bloom_fold WHERE filter_id NOT"
                    + " IN (SELECT id FROM bloom_filter)) + (SELECT COUNT(*) FROM bloom_hash_block"
                    + " WHERE filter_id NOT IN (SELECT id FROM bloom_filter))"))
        .isZero();
    assertThat(tables(sql, name)).isEmpty();
  }

  private static List<String> tables(Sql sql, String name) throws SQLException {
    return sql.texts(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND"
            + " table_name RLIKE ?",
        "^bloom_(bits|removed)_[0-9]+_" + name + "(_v[0-9]+)?$");
  }

  private static long slots(String name) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM " + sql.slots(name, 1));
  }

  /** Does something once so many bytes were read. */
  private static InputStream doing(byte[] export, int at, Runnable something) {
    AtomicInteger left = new AtomicInteger(at);
    return new FilterInputStream(new ByteArrayInputStream(export)) {
      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        int read = super.read(bytes, from, length);
        if (left.getAndAdd(-read) > 0 && left.get() <= 0) {
          something.run();
        }
        return read;
      }
    };
  }

  private static void run(String statement, Object... values) {
    try {
      sql.run(statement, values);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets an import look as if nobody had worked on it for an hour longer, or less long. */
  private static void idle(String name, String sign) {
    run(
        "UPDATE bloom_fold SET folded_at = folded_at "
            + sign
            + " INTERVAL 1 HOUR WHERE filter_id = (SELECT id FROM bloom_filter WHERE name = ?)",
        name);
  }

  /** What is left is as after a kill: nobody takes it back. */
  @Test
  void leftoversOfAKilledImportDoNoHarm() throws Exception {
    String name = newName();
    here.reserve(name, spec(30_000).retainHashes().build()).addEach(keys("a", 9000));
    byte[] export = export(here, name);
    String target = newName();
    // By then the slots are written, and the hashes are not.
    String mine =
        "UPDATE bloom_journal JOIN bloom_filter ON id = filter_id SET token = token + 1"
            + " WHERE seq = 0 AND name = ?";
    assertThatThrownBy(
            () ->
                there.importFrom(target, doing(export, export.length - 9, () -> run(mine, target))))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("The import of filter " + target + " cannot continue");
    assertThat(slots(target)).as("rows of the import that was killed").isPositive();
    assertThat(tables(sql, target)).hasSize(1);

    assertThat(there.names()).doesNotContain(target);
    assertThatThrownBy(() -> there.open(target, KeyType.text()))
        .isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> there.reserve(target, spec(1000).build()))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContaining("is being imported");
    assertThatThrownBy(() -> there.importFrom(target, new ByteArrayInputStream(export)))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContaining("is being imported");

    idle(target, "-");
    there.importFrom(target, new ByteArrayInputStream(export));
    assertThat(slots(target)).isEqualTo(slots(name));

    String dropped = newName();
    assertThatThrownBy(
            () ->
                there.importFrom(
                    dropped, doing(export, export.length - 9, () -> run(mine, dropped))))
        .isInstanceOf(FilterUnavailableException.class);
    there.admin(dropped).drop();
    assertNothingLeft(sql, dropped);
  }

  /** Another one took it for abandoned, and then was slow itself. */
  @Test
  void anImportThatGoesOnIsNotTakenForAbandoned() throws Exception {
    String name = newName();
    here.reserve(name, spec(30_000).retainHashes().build()).addEach(keys("a", 9000));
    byte[] export = export(here, name);
    String target = newName();
    try (BehindNetwork late = new BehindNetwork(schema)) {
      // It tries whether it may drop tables.
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "drop table.*_v0");
      List<CompletableFuture<Void>> others = new ArrayList<>();
      Runnable another =
          () -> {
            idle(target, "-");
            others.add(
                CompletableFuture.runAsync(
                    () -> importQuietly(late.bloom(), target, new ByteArrayInputStream(export))));
            trap.caught().join();
            idle(target, "+");
          };
      there.importFrom(target, doing(export, export.length - 9, another));
      trap.release();
      assertThatThrownBy(() -> others.get(0).get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterExistsException.class);
    }
    assertThat(slots(target)).isEqualTo(slots(name));
    assertThat(there.open(target, KeyType.text()).mightContainEach(keys("a", 9000)))
        .containsOnly(true);
  }

  private static void importQuietly(SlotBloom bloom, String name, InputStream export) {
    try {
      bloom.importFrom(name, export);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It is dropped before its tables are there. */
  @ParameterizedTest
  @ValueSource(strings = {"bits", "removed"})
  void anImportThatWasDroppedMeanwhileLeavesNoTable(String first) throws Exception {
    String name = newName();
    here.reserve(name, spec(1000).buildRemovable(10)).addEach(keys("a", 100));
    byte[] export = export(here, name);
    String target = newName();
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "create table.*bloom_" + first);
      CompletableFuture<Void> importing =
          CompletableFuture.runAsync(
              () -> importQuietly(late.bloom(), target, new ByteArrayInputStream(export)));
      trap.caught().get(60, TimeUnit.SECONDS);
      here.admin(target).drop();
      trap.release();
      assertThatThrownBy(() -> importing.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("Import it again.");
    }
    assertNothingLeft(sql, target);
  }

  /** A failover loses what was committed last. */
  @Test
  void anImportWhoseTableWasLostIsRepeated() throws Exception {
    String name = newName();
    here.reserve(name, spec(1000).buildRemovable(10)).close();
    byte[] export = export(here, name);
    String target = newName();
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "bloom_filter.*for update", 1);
      CompletableFuture<Void> importing =
          CompletableFuture.runAsync(
              () -> importQuietly(late.bloom(), target, new ByteArrayInputStream(export)));
      trap.caught().get(60, TimeUnit.SECONDS);
      assertThat(tables(sql, target)).hasSize(2);
      sql.run("DROP TABLE " + tables(sql, target).get(0));
      trap.release();
      assertThatThrownBy(() -> importing.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(SchemaException.class)
          .hasMessageContainingAll(" was created and is missing", "Import again");
    }
    assertNothingLeft(sql, target);
    there.importFrom(target, new ByteArrayInputStream(export));
    assertThat(there.open(target, KeyType.text()).add("a")).isTrue();
  }

  /** Whoever drops what was left repeats that, and then takes its own mark for its own. */
  @Test
  void theRestOfAnAbandonedImportGoesIfTheCommitOfItsDropIsLost() throws Exception {
    String name = newName();
    here.reserve(name, spec(1000).build()).addEach(keys("a", 100));
    byte[] export = export(here, name);
    String target = newName();
    there.importFrom(target, new ByteArrayInputStream(export));
    sql.run("UPDATE bloom_filter SET state = 'IMPORTING' WHERE name = ?", target);
    idle(target, "-");
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap =
          late.network().trapAfter("update .bloom_fold", Trap.Place.BEFORE_CLIENT, "^commit");
      CompletableFuture<Void> importing =
          CompletableFuture.runAsync(
              () -> importQuietly(late.bloom(), target, new ByteArrayInputStream(export)));
      trap.caught().get(60, TimeUnit.SECONDS);
      trap.cut();
      importing.get(60, TimeUnit.SECONDS);
    }
    assertThat(tables(sql, target)).containsExactly(sql.slots(target, 1));
    assertThat(there.open(target, KeyType.text()).mightContainEach(keys("a", 100)))
        .containsOnly(true);
  }
}
