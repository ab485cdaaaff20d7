package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.report.InspectionQuery;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
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

/** Views and ready queries show the buckets of a window, and pass over those that expired. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(180)
@Tag("mysql")
class WindowSqlIT {

  private static final Duration DAY = Duration.ofDays(1);
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

  private static Map<String, List<Map<String, String>>> results(SlotBloom bloom)
      throws SQLException {
    Map<String, List<Map<String, String>>> results = new LinkedHashMap<>();
    for (InspectionQuery query : bloom.admin().inspectionSql("days")) {
      results.put(query.title(), rows(query.sql()));
    }
    return results;
  }

  private static List<String> column(List<Map<String, String>> rows, String name) {
    return rows.stream().map(row -> row.get(name)).toList();
  }

  @Test
  void bucketsAreShownAndThoseThatExpiredArePassedOver() throws SQLException {
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
      filter.fold();
      await().until(() -> rows("SELECT 1 FROM bloom_generation WHERE state = 'READY'").size() == 1);
    }
    try (SlotBloom bloom = SlotBloom.builder(clock.dataSource()).build()) {
      Map<String, List<Map<String, String>>> results = results(bloom);
      List<Map<String, String>> buckets = results.get("Buckets");
      assertThat(column(buckets, "generation")).containsExactly("1", "2");
      assertThat(column(buckets, "keys_added")).containsExactly("100", "150");
      assertThat(column(buckets, "keys_renewed")).containsExactly("0", "10");
      assertThat(column(buckets, "expired")).containsExactly("no", "no");
      assertThat(buckets.get(0).get("begins_utc")).isEqualTo("2026-03-02 00:00:00");
      assertThat(buckets.get(0).get("ends_utc")).isEqualTo("2026-03-03 00:00:00");
      assertThat(buckets.get(0).get("expires_utc")).isEqualTo("2026-03-10 00:00:00");
      assertThat(buckets.get(1).get("begins_utc")).isEqualTo("2026-03-04 00:00:00");
      assertThat(column(buckets, "table_bytes")).doesNotContainNull();
      assertThat(results.get("The filter").get(0))
          .containsEntry("keys_added", "250")
          .containsEntry("window_buckets", "7");
      assertThat(column(results.get("Fill of each generation"), "state"))
          .containsExactly("answers", "answers");
      assertThat(estimated(results)).isEqualTo(260, offset(3.0));
      assertThat(column(results.get("Growth history"), "in_words"))
          .containsExactly(
              "answers, from the first entry on",
              "answers, since entry 2",
              "is made ahead for the next bucket, and holds no key");

      // Its bucket expired, though nobody has begun another one.
      clock.advance(DAY.multipliedBy(6));
      results = results(bloom);
      assertThat(results.get("Whether these queries still fit").get(0))
          .containsEntry("still_fit", "yes");
      assertThat(column(results.get("Buckets"), "expired")).containsExactly("yes", "no");
      assertThat(column(results.get("Fill of each generation"), "state"))
          .containsExactly("has expired", "answers");
      assertThat(estimated(results)).isEqualTo(160, offset(3.0));
      assertThat(
              Double.parseDouble(results.get("Error rate now").get(0).get("false_positive_rate")))
          .isEqualTo(
              Double.parseDouble(
                  results.get("Fill of each generation").get(1).get("false_positive_rate")),
              offset(1e-12));
      assertThat(column(results.get("Growth history"), "in_words"))
          .contains("has expired, and answers no more");

      bloom.open("days", spec).add("next");
      results = results(bloom);
      assertThat(column(results.get("Buckets"), "keys_added")).containsExactly("150", "1");
      assertThat(column(results.get("Growth history"), "in_words").get(0))
          .isEqualTo("has expired, and its table is soon dropped");
    }
  }

  private static double estimated(Map<String, List<Map<String, String>>> results) {
    return Double.parseDouble(results.get("Estimated number of keys").get(0).get("estimated_keys"));
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
                      + " in_words FROM bloom_generation_status WHERE name = 'ever'"))
          .singleElement()
          .satisfies(
              row -> {
                assertThat(row.get("in_words")).isEqualTo("answers, from the first entry on");
                row.remove("in_words");
                assertThat(row.values()).containsOnlyNulls();
              });
    }
  }
}
