package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.InspectionQuery;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the printed queries and the views say of a filter is what Java says of it. */
@DatabaseContract
@Timeout(300)
@Tag("mysql")
class InspectionSqlIT {

  private static final List<String> SQL_MODES =
      List.of("", "ONLY_FULL_GROUP_BY,ERROR_FOR_DIVISION_BY_ZERO,ANSI,STRICT_ALL_TABLES");

  /** A FLOAT is shown with six digits. */
  private static final double SIX_DIGITS = 1e-5;

  @Fixture private static TestSchema schema;
  private static HikariDataSource pool;
  private static DataSource reader;
  private static Sql sql;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void migrate() throws SQLException {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(6));
    reader = schema.dataSource(schema.createAccount("SELECT"));
    sql = new Sql(pool);
    bloom = SlotBloom.on(pool);
    bloom.migrate();
    ShortLease.forAll(sql);
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  @Test
  void queriesAgreeWithJavaInEveryState() throws Exception {
    String name = "life";
    List<String> keys = IntStream.range(0, 1200).mapToObj(i -> "key " + i).toList();
    bloom.reserve(name, FilterSpec.builder(KeyType.text()).capacity(1000).build());
    requireAgreement(name);

    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      filter.addEach(keys.subList(0, 700));
      filter.fold();
      String slots = bloom.info(name).generations().get(0).slotTable();
      sql.run("CREATE TABLE lost_" + slots + " AS SELECT * FROM " + slots + " WHERE slot < 9");
      sql.run("DELETE FROM " + slots + " WHERE slot < 9");
      assertThat(requireAgreement(name).get("Fill of each generation").get(0))
          .containsEntry("missing_rows", "9");
      sql.run("INSERT INTO " + slots + " SELECT * FROM lost_" + slots);

      try (Connection folding = holdingFoldLockOf(name)) {
        bloom.admin().grow(name, 3000);
        filter.addEach(keys.subList(700, 1200));
        Map<String, String> backlog = requireAgreement(name).get("Backlog").get(0);
        // Some keys of the 500 seem to be there already.
        assertThat(Integer.parseInt(backlog.get("backlog_keys"))).isBetween(450, 500);
        assertThat(backlog).containsEntry("backlog_entries", "2");
        folding.rollback();
      }
      filter.fold();
    }
    requireAgreement(name);

    try (HeldReplacement held = new HeldReplacement(bloom, name, 10_000, keys)) {
      try (Connection folding = holdingFoldLockOf(name)) {
        assertThat(requireAgreement(name).get("Fill of each generation"))
            .extracting(row -> row.get("state"))
            .containsExactly("answers", "answers", "is being filled");
        folding.rollback();
      }
      assertThat(
              sql.rows(
                  "SELECT generation, phase, capacity, capacity_before, keys_expected >= keys_read,"
                      + " percent_of_phase BETWEEN 0 AND 100, running_seconds >= silent_seconds"
                      + " FROM bloom_replacement_status WHERE name = ?",
                  name))
          .containsExactly(List.of("3", "REPLAYING", "10000", "3000", "1", "1", "1"));
      held.finish();
    }
    bloom.admin().fold(name);
    requireAgreement(name);

    saturate(bloom.info(name).generations().get(0));
    Map<String, List<Map<String, String>>> full = requireAgreement(name);
    assertThat(number(full.get("Error rate now").get(0), "one_in")).isEqualTo(1);
    assertThat(full.get("Estimated number of keys").get(0)).containsEntry("estimate", "at least");

    List<InspectionQuery> before = bloom.admin().inspectionSql(name);
    bloom.admin().clear(name);
    requireAgreement(name);
    bloom.admin().grow(name, 20_000);
    assertThat(run(before.get(0), "").get(0)).containsEntry("still_fit", "no, print them again");
  }

  /** With the fewest bits that a filter can have, STANDARD has one slot and BLOCKED one block. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void queriesAgreeWithJavaOnTheSmallestFilters(Layout layout) throws SQLException {
    String name = "small_" + layout.name().toLowerCase(Locale.ROOT);
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(10)
            .explicitSize(layout == Layout.BLOCKED ? 512 : 64, 4)
            .layout(layout)
            .build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      requireAgreement(name);
      filter.add("a");
      filter.fold();
    }
    requireAgreement(name);
    Generation only = bloom.info(name).generations().get(0);
    saturate(only);
    requireAgreement(name);

    sql.run("INSERT INTO " + only.slotTable() + " VALUES (?, 1)", only.bits());
    assertThat(results(name, "").get("Bits that no key can own"))
        .containsExactly(Map.of("generation", "1", "rows_outside", "1"));
  }

  @Test
  void queriesAgreeWithJavaOnRemovedKeys() throws SQLException {
    String name = "removable";
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(2000)
            .falsePositiveRate(1e-9)
            .removable(60)
            .retainHashes()
            .build();
    List<String> keys = IntStream.range(0, 300).mapToObj(i -> "key " + i).toList();
    BloomFilter<String> filter = bloom.reserve(name, spec);
    String table = sql.removed(name);
    try (filter) {
      filter.addEach(keys);
      filter.removeEach(keys.subList(0, 100));
      filter.fold();
      try (Connection folding = holdingFoldLockOf(name)) {
        filter.removeEach(keys.subList(100, 150));
        filter.addEach(keys.subList(0, 30));
        assertThat(results(name, "").get("Removed keys"))
            .containsExactly(
                Map.of(
                    "keys_removed", "120",
                    "removable_keys", "2000",
                    "percent_removed", "6.0",
                    "unfolded_removals", "50",
                    "unfolded_returns", "30",
                    "table_rows", "100",
                    "old_rows", "0"));
        assertThat(results(name, "").get("Backlog").get(0)).containsEntry("backlog_keys", "80");
        folding.rollback();
      }
      filter.fold();
    }
    for (String mode : SQL_MODES) {
      Map<String, List<Map<String, String>>> results = results(name, mode);
      FilterInfo info = bloom.info(name);
      requireSameFill(info, results);
      assertThat(results.get("The filter").get(0))
          .containsEntry("keys_added", "180")
          .containsEntry("keys_removed", "120")
          .containsEntry("percent_full", "15.0");
      assertThat(results.get("Removed keys").get(0)).containsEntry("table_rows", "120");
      assertThat(results.get("Size on disk"))
          .extracting(row -> row.get("table_name"))
          .contains(table);
      double fresh =
          results.get("New keys a minute").stream().mapToDouble(r -> number(r, "key_count")).sum();
      assertThat(fresh).as("with those that are back").isEqualTo(330);
    }
    // Those of the entry 0 tell of keys that are held, and never counted.
    sql.run("UPDATE " + table + " SET seq = 0 LIMIT 7");
    assertThat(results(name, "").get("Removed keys").get(0))
        .containsEntry("table_rows", "113")
        .containsEntry("old_rows", "0");
  }

  @Test
  void viewsCannotBeWritten() throws SQLException {
    List<String> views =
        List.of("bloom_filter_status", "bloom_generation_status", "bloom_replacement_status");
    assertThat(
            sql.texts(
                "SELECT table_name AS name FROM information_schema.views WHERE table_schema ="
                    + " DATABASE() AND security_type = 'INVOKER' AND is_updatable = 'NO' ORDER BY"
                    + " name"))
        .isEqualTo(views);
    Sql elsewhere = new Sql(schema.database().admin());
    for (String view : views) {
      assertThatThrownBy(() -> sql.run("UPDATE " + view + " SET capacity = 1"))
          .hasMessageContaining("not updatable");
      // With no schema chosen, too.
      assertThat(elsewhere.rows("SELECT * FROM " + schema.name() + "." + view))
          .hasSameSizeAs(sql.rows("SELECT filter_id FROM " + view));
    }
  }

  @Test
  void queriesHaveTheDigitsOfSqlInAnyLocale() {
    bloom.reserve("digits", FilterSpec.builder(KeyType.text()).capacity(1000).build()).close();
    List<InspectionQuery> queries = bloom.admin().inspectionSql("digits");
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertThat("%d".formatted(1)).as("digits of that locale").isNotEqualTo("1");
      assertThat(bloom.admin().inspectionSql("digits")).isEqualTo(queries);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }

  @Test
  void aMissingFilterHasNoQueries() {
    assertThatThrownBy(() -> bloom.admin().inspectionSql("none"))
        .isInstanceOf(FilterNotFoundException.class);
  }

  /** So that nobody folds between what is compared. */
  private static Connection holdingFoldLockOf(String name) throws SQLException {
    return ByHand.holdingFoldLockOf(bloom.info(name).id(), pool.getConnection());
  }

  /** Sets all bits; every slot has a row. */
  private static void saturate(Generation generation) throws SQLException {
    long last = (generation.bits() - 1) / Long.SIZE;
    long bitsInLast = generation.bits() - last * Long.SIZE;
    assertThat(
            sql.run(
                "UPDATE " + generation.slotTable() + " SET bits = IF(slot < ?, ~0, ~0 >> ?)",
                last,
                Long.SIZE - bitsInLast))
        .isEqualTo((int) last + 1);
  }

  /** Runs all queries in several SQL modes, and compares what they say; returns it by title. */
  private static Map<String, List<Map<String, String>>> requireAgreement(String name)
      throws SQLException {
    Map<String, List<Map<String, String>>> results = Map.of();
    for (String mode : SQL_MODES) {
      results = results(name, mode);
      requireAgreement(bloom.info(name), results);
    }
    return results;
  }

  private static void requireAgreement(
      FilterInfo info, Map<String, List<Map<String, String>>> results) {
    assertThat(results.get("Whether these queries still fit"))
        .containsExactly(Map.of("still_fit", "yes"));
    requireSameFill(info, results);
    requireSameRanges(info, results);
    requireSameJournal(info, results);
    assertThat(results.get("The filter").get(0))
        .containsEntry("capacity", Long.toString(info.capacity()))
        .containsEntry(
            "bits",
            Long.toString(
                info.generations().stream()
                    .filter(g -> g.state() == State.ACTIVE)
                    .mapToLong(Generation::bits)
                    .sum()))
        .containsEntry("epoch", Long.toString(info.epoch()));
    assertThat(number(results.get("The filter").get(0), "bits_per_key"))
        .isEqualTo(info.bitsPerKey(), offset(0.051));
    assertThat(results.get("Size on disk"))
        .extracting(row -> row.get("table_name"))
        .containsAll(info.generations().stream().map(Generation::slotTable).toList())
        .contains("bloom_journal");
    assertThat(results.get("Growth history"))
        .allSatisfy(row -> assertThat(row.get("in_words")).isNotNull())
        .filteredOn(row -> row.get("in_words").startsWith("answers"))
        .extracting(row -> row.get("generation"))
        .isEqualTo(
            info.generations().stream()
                .filter(g -> g.state() == State.ACTIVE)
                .map(g -> Integer.toString(g.number()))
                .toList());
    assertThat(results.get("Bits that no key can own"))
        .allSatisfy(row -> assertThat(row).containsEntry("rows_outside", "0"));
  }

  private static void requireSameFill(
      FilterInfo info, Map<String, List<Map<String, String>>> results) {
    List<Map<String, String>> fill = results.get("Fill of each generation");
    assertThat(fill).hasSameSizeAs(info.generations());
    for (int i = 0; i < fill.size(); i++) {
      Generation generation = info.generations().get(i);
      Map<String, String> row = fill.get(i);
      assertThat(number(row, "generation")).isEqualTo(generation.number());
      assertThat(number(row, "bits_set")).isEqualTo(generation.bitsSet());
      assertThat(number(row, "slot_rows")).isEqualTo(generation.slotRows());
      assertThat(number(row, "slot_rows") + number(row, "missing_rows"))
          .isEqualTo((generation.bits() + Long.SIZE - 1) / Long.SIZE);
      assertThat(number(row, "percent_set"))
          .isEqualTo(100.0 * generation.bitsSet() / generation.bits(), offset(0.0051));
      requireSameRate(
          number(row, "false_positive_rate"),
          generation.currentFalsePositiveRate(),
          generation.unfoldedKeys());
    }
    Map<String, String> keys = results.get("Estimated number of keys").get(0);
    assertThat(number(keys, "unfolded_keys")).isEqualTo(info.unfoldedKeys());
    // SQL estimates the folded keys alone.
    assertThat(info.estimatedKeys() - number(keys, "estimated_keys"))
        .isBetween(-0.501, info.unfoldedKeys() + 0.501);
    assertThat(number(keys, "keys_added")).isEqualTo(info.keysAdded());
    assertThat(keys).containsEntry("estimate", info.saturated() ? "at least" : "about");
    Map<String, String> now = results.get("Error rate now").get(0);
    assertThat(number(now, "unfolded_keys")).isEqualTo(info.unfoldedKeys());
    requireSameRate(
        number(now, "false_positive_rate"), info.currentFalsePositiveRate(), info.unfoldedKeys());
  }

  /** SQL computes the rate of the folded keys alone. */
  private static void requireSameRate(double bySlots, double rate, long unfoldedKeys) {
    if (unfoldedKeys == 0) {
      // Beside 1, as in a product of 1 - rate, a double has no more than that.
      assertThat(bySlots).isEqualTo(rate, offset(SIX_DIGITS * rate + 1e-15));
    } else {
      assertThat(bySlots).isLessThan(rate);
    }
  }

  private static void requireSameRanges(
      FilterInfo info, Map<String, List<Map<String, String>>> results) {
    for (HeatMap map : bloom.admin().inspect(info.name(), 16).generations()) {
      List<Map<String, String>> rows = results.get("Skew of generation " + map.generation());
      assertThat(rows).hasSameSizeAs(map.ranges());
      for (int i = 0; i < rows.size(); i++) {
        HeatMap.Range range = map.ranges().get(i);
        Map<String, String> row = rows.get(i);
        assertThat(number(row, "first_slot")).isEqualTo(range.firstSlot());
        assertThat(number(row, "slots")).isEqualTo(range.slots());
        assertThat(number(row, "slot_rows")).isEqualTo(range.rows());
        assertThat(number(row, "bits_set")).isEqualTo(range.bitsSet());
        assertThat((double) row.get("bar").length()).isEqualTo(50 * range.fill(), offset(0.501));
        if (map.bitsSet() == 0) {
          assertThat(row.get("percent_of_mean")).isNull();
        } else {
          assertThat(number(row, "percent_of_mean"))
              .isEqualTo(
                  100 * range.fill() / (map.bitsSet() / (map.slots() * 64.0)), offset(0.051));
        }
      }
    }
  }

  private static void requireSameJournal(
      FilterInfo info, Map<String, List<Map<String, String>>> results) {
    Map<String, String> backlog = results.get("Backlog").get(0);
    Map<String, String> lag = results.get("Lag").get(0);
    assertThat(number(backlog, "backlog_entries")).isEqualTo(info.backlog());
    assertThat(number(lag, "backlog_entries")).isEqualTo(info.backlog());
    assertThat(number(lag, "last_entry")).isEqualTo(info.lastSequence());
    assertThat(number(lag, "folded_entry")).isEqualTo(info.foldedSequence());
    assertThat(number(lag, "lag_seconds")).isBetween(0.0, info.backlog() == 0 ? 0.0 : 120.0);
    assertThat(number(results.get("Journal").get(0), "entries")).isEqualTo(info.journalRows());
    List<Map<String, String>> newest = results.get("The newest entries of the journal");
    assertThat((long) newest.size()).isEqualTo(Math.min(20, info.journalRows()));
    for (int i = 0; i < newest.size(); i++) {
      assertThat(number(newest.get(i), "entry")).isEqualTo(info.lastSequence() - i);
      assertThat(newest.get(i))
          .containsEntry("folded", info.lastSequence() - i <= info.foldedSequence() ? "yes" : "no");
    }
    double added =
        results.get("New keys a minute").stream().mapToDouble(r -> number(r, "key_count")).sum();
    assertThat(added).isEqualTo(info.journalRows() == 0 ? 0 : info.keysAdded());
  }

  private static double number(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  private static Map<String, List<Map<String, String>>> results(String name, String mode)
      throws SQLException {
    Map<String, List<Map<String, String>>> results = new LinkedHashMap<>();
    for (InspectionQuery query : bloom.admin().inspectionSql(name)) {
      results.put(query.title(), run(query, mode));
    }
    return results;
  }

  private static List<Map<String, String>> run(InspectionQuery query, String mode)
      throws SQLException {
    try (Connection connection = reader.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_mode = '" + mode + "'");
      List<Map<String, String>> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery(query.sql())) {
        while (result.next()) {
          Map<String, String> row = new LinkedHashMap<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.put(result.getMetaData().getColumnLabel(i), result.getString(i));
          }
          rows.add(row);
        }
      }
      assertThat((Throwable) statement.getWarnings()).as(query.sql()).isNull();
      return rows;
    }
  }
}
