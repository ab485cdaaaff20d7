package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.report.VerifyReport;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** A test that damages and verifies filters, which have 300 keys in three folded entries. */
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
public abstract class VerifiedFilters {

  @Fixture protected static TestSchema schema;
  @Fixture protected static SlotBloom bloom;
  @Fixture protected static Sql sql;

  protected static final int KEYS = 300;

  /** Returns a spec with so few false positives that a test of these keys never meets one. */
  protected static FilterSpec.Builder<String> spec() {
    return FilterSpec.builder(KeyType.text()).capacity(2000).falsePositiveRate(1e-6);
  }

  /** Returns keys by their numbers; those below {@link #KEYS} are in the filters. */
  protected static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  /** Makes a filter that nobody has open. */
  protected static void reserve(String name, FilterSpec<String> spec) {
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      for (int from = 0; from < KEYS; from += KEYS / 3) {
        assertThat(filter.filterNew(keys(from, from + KEYS / 3))).hasSize(KEYS / 3);
      }
      bloom.admin(filter.name()).fold();
    }
  }

  protected static long id(String name) throws SQLException {
    return sql.number("SELECT id FROM bloom_filter WHERE name = ?", name);
  }

  /** Runs a statement: $t is the first slot table, $f the filter in other tables, $i in its own. */
  protected static void run(String statement, String name) throws SQLException {
    sql.run(
        statement
            .replace("$t", sql.slots(name, 1))
            .replace("$f", "filter_id = " + id(name))
            .replace("$i", "id = " + id(name)));
  }

  protected static VerifyReport verify(String name) {
    return bloom.admin(name).verify(VerifyOptions.defaults());
  }

  protected static VerifyReport repair(String name) {
    return bloom.admin(name).verify(VerifyOptions.defaults().repairing());
  }

  protected static void assertSound(VerifyReport report) {
    assertThat(report.findings()).isEmpty();
    assertThat(report.sound()).isTrue();
  }

  /** Takes all entries up to this one out of the journal. */
  protected static void trimTo(String name, long last) throws SQLException {
    // Old enough to be trimmed; nobody has it open, who would miss the filter that it was.
    run("UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE $i", name);
    run("DELETE FROM bloom_journal WHERE $f AND seq BETWEEN 1 AND " + last, name);
  }

  /** Takes what is folded out of the journal, and never the newest entry. */
  protected static void trimFolded(String name) {
    try {
      run(
          "DELETE FROM bloom_journal WHERE $f AND seq > 0 AND seq < (SELECT folded_seq FROM"
              + " bloom_fold WHERE $f) ORDER BY seq LIMIT 20",
          name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
