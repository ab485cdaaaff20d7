package io.github.slotbloom.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Takes filters along whose journal ends in the row of the filter. The script holds what the last
 * version with such filters wrote.
 */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@Tag("mysql")
class EarlierFormatIT {

  private final Instances instances;
  private final Sql sql;

  EarlierFormatIT(TestSchema schema) {
    this.instances = new Instances(schema);
    this.sql = new Sql(schema.dataSource());
  }

  @BeforeEach
  void makeTablesOfTheEarlierVersion() throws SQLException, IOException {
    try (InputStream script = EarlierFormatIT.class.getResourceAsStream("version-12.sql")) {
      sql.runScript(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @AfterEach
  void close() {
    instances.close();
  }

  @Test
  void aFilterKeepsItsKeysItsCountAndItsPlaceInTheJournal() throws SQLException {
    instances.another().migrate();
    assertKeeps("simple", 5, "a", "b", "c", "d", "e");
    assertKeeps("grown", 6, "a", "b", "c", "d");
    assertKeeps("retained", 7, "a", "b", "c", "d");
    assertKeeps("merged", 5, "a", "b");
    assertKeeps("other", 8, "a", "b", "c", "d");
    assertKeeps("empty", 5);
  }

  private void assertKeeps(String name, int format, String... added) throws SQLException {
    assertThat(sql.number("SELECT format_version FROM bloom_filter WHERE name = ?", name))
        .as(name)
        .isEqualTo(format);
    List<String> keys = List.of(added);
    SlotBloom bloom = instances.another();
    for (Use use : Use.values()) {
      BloomFilter<String> filter = use.open(bloom, name);
      assertThat(filter.info().keysAdded()).isEqualTo(keys.size());
      assertThat(filter.mightContainEach(keys)).doesNotContain(false);
      assertThat(filter.addEach(keys)).doesNotContain(true);
      assertThat(filter.mightContain("never added")).isFalse();
      assertThat(bloom.admin().verify(name, VerifyOptions.defaults()).findings()).isEmpty();
    }
    BloomFilter<String> filter = bloom.open(name, KeyType.text());
    for (String key : List.of("x", "y", "z")) {
      assertThat(filter.add(key)).isTrue();
    }
    filter.fold();
    assertThat(filter.info().keysAdded()).isEqualTo(keys.size() + 3);
    assertThat(bloom.admin().verify(name, VerifyOptions.defaults()).findings()).isEmpty();
  }

  /** What a process of the earlier version sends that wrote alone, and what any of them sends. */
  @Test
  void aProcessOfTheEarlierVersionCannotAppendAnyMore() throws SQLException {
    List<String> end =
        sql.rows("SELECT id, last_seq, last_token FROM bloom_filter WHERE name = 'simple'").get(0);
    instances.another().migrate();
    assertThat(
            sql.run(
                "UPDATE bloom_filter SET last_seq = last_seq + 1, last_token = 4711 WHERE id = ?"
                    + " AND last_seq = ? AND last_token = ? AND format_version = 1",
                end.toArray()))
        .isZero();
    // It refuses each filter whose format is above 4.
    assertThat(sql.number("SELECT MIN(format_version) FROM bloom_filter")).isGreaterThan(4);
  }

  @Test
  void migratingAgainFromTheBeginningChangesNoFilter() throws SQLException {
    SlotBloom bloom = instances.another();
    bloom.migrate();
    assertThat(bloom.open("simple", KeyType.text()).add("f")).isTrue();
    String rows =
        "SELECT filter_id, seq, token, last_seq, keys_added FROM bloom_journal ORDER BY 1, 2";
    String formats = "SELECT name, format_version FROM bloom_filter ORDER BY 1";
    List<List<String>> journal = sql.rows(rows);
    List<List<String>> before = sql.rows(formats);
    sql.runScript(SlotBloom.schemaSql());
    assertThat(sql.rows(rows)).isEqualTo(journal);
    assertThat(sql.rows(formats)).isEqualTo(before);
  }
}
