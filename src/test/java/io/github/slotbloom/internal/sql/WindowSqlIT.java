package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Views show the buckets of a window, and which of them expired. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(180)
@Tag("mysql")
class WindowSqlIT {

  private static final Duration DAY = Duration.ofDays(1);
  private static final String AHEAD = "created ahead, holds no keys";
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  @Fixture private static TestSchema schema;
  private static ClockedConnections clock;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  private static List<Map<String, String>> rows(String query) throws SQLException {
    try (Connection connection = clock.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<Map<String, String>> rows = new ArrayList<>();
      while (result.next()) {
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.put(result.getMetaData().getColumnLabel(i), result.getString(i));
        }
        rows.add(row);
      }
      assertThat((Throwable) statement.getWarnings()).as(query).isNull();
      return rows;
    }
  }

  private static List<Map<String, String>> generations() throws SQLException {
    return rows("SELECT * FROM bloom_generation_status WHERE name = 'days' ORDER BY generation");
  }

  private static List<Map<String, String>> unused() throws SQLException {
    return rows("SELECT * FROM bloom_unused_table WHERE name = 'days' ORDER BY generation");
  }

  private static List<String> column(List<Map<String, String>> rows, String name) {
    return rows.stream().map(row -> row.get(name)).toList();
  }

  @Test
  void bucketsAreShownAndWhichOfThemExpired() throws SQLException {
    clock.set(NOON);
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(7000)
            .falsePositiveRate(1e-6)
            .window(DAY.multipliedBy(7), 7)
            .renew()
            .build();
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.reserve("days", spec);
      filter.addEach(keys(0, 100));
      clock.advance(DAY.multipliedBy(2));
      filter.addEach(keys(100, 250));
      filter.addEach(keys(0, 10));
      writing.admin(filter.name()).fold();
      await().until(() -> column(unused(), "description").contains(AHEAD));
    }
    try (SlotBloom bloom = SlotBloom.builder(clock.dataSource()).build()) {
      List<Map<String, String>> buckets = generations();
      assertThat(column(buckets, "keys_added")).startsWith("100", "150");
      assertThat(column(buckets, "keys_renewed")).startsWith("0", "10");
      assertThat(buckets.get(0))
          .containsEntry("bucket_begins_utc", "2026-03-02 00:00:00")
          .containsEntry("bucket_expires_utc", "2026-03-10 00:00:00");
      assertThat(buckets.get(1)).containsEntry("bucket_begins_utc", "2026-03-04 00:00:00");
      assertThat(column(buckets, "description"))
          .containsExactly("active from the first entry on", "active since entry 2");
      assertThat(unused())
          .singleElement()
          .satisfies(
              row ->
                  assertThat(row)
                      .containsEntry("generation", "3")
                      .containsEntry("slot_table", new Sql(schema.dataSource()).slots("days", 3))
                      .containsEntry("description", AHEAD));
      assertThat(rows("SELECT * FROM bloom_filter_status WHERE name = 'days'"))
          .singleElement()
          .satisfies(
              filter ->
                  assertThat(filter)
                      .containsEntry("keys_added", "250")
                      .containsEntry("window_buckets", "7"));

      // Its bucket expired, though nobody has begun another one.
      clock.advance(DAY.multipliedBy(6));
      assertThat(column(generations(), "description"))
          .startsWith("expired", "active since entry 2");

      bloom.open("days", spec).add("next");
      assertThat(column(generations(), "description"))
          .containsExactly("active since entry 2", "active since entry 5");
      assertThat(unused().get(0))
          .containsEntry("generation", "1")
          .containsEntry("slot_table", new Sql(schema.dataSource()).slots("days", 1))
          .containsEntry(
              "description", "replaced, aborted, cleared or expired; will be dropped soon");
    }
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  @Test
  void filtersWhoseKeysNeverExpireHaveNoBucketsInTheViews() throws SQLException {
    try (SlotBloom bloom = SlotBloom.builder(clock.dataSource()).build()) {
      bloom.reserve("ever", FilterSpec.builder(KeyType.text()).capacity(100).build()).add("a");
      assertThat(
              rows(
                  "SELECT bucket, bucket_begins_utc, bucket_expires_utc, keys_added, keys_renewed,"
                      + " description FROM bloom_generation_status WHERE name = 'ever'"))
          .singleElement()
          .satisfies(
              row -> {
                assertThat(row.get("description")).isEqualTo("active from the first entry on");
                row.remove("description");
                assertThat(row.values()).containsOnlyNulls();
              });
    }
  }
}
