package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Rescue;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.VerifiedFilters;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifying finds rescued keys of which the table and the journal disagree. */
@DatabaseContract
class VerifyRescuedIT extends VerifiedFilters {

  private static final Rescue MISTAKE = Rescue.because("listed by mistake");
  private static final Instant END = Instant.parse("2199-01-02T03:04:05.678Z");

  /** What is done to the rows. Processes with a mirror follow the journal, others the rows. */
  private enum Damage {
    ROW_DELETED("DELETE FROM bloom_rescued WHERE $f AND reason = 'lasting'", "no row that lasts"),
    ROW_THAT_ENDS_LATER(
        "UPDATE bloom_rescued SET rescued_until = NULL WHERE $f AND reason = 'ending'",
        "a row until forever"),
    ROW_THAT_IS_OVER(
        "UPDATE bloom_rescued SET rescued_until = '2001-01-01' WHERE $f AND reason = 'ending'",
        "no row that lasts"),
    ROW_ADDED(
        "INSERT INTO bloom_rescued SELECT filter_id, 4711, 'by hand', 'x', rescued_at, NULL FROM"
            + " bloom_rescued WHERE $f AND reason = 'lasting'",
        "a row until forever"),
    FORGOTTEN("UPDATE bloom_filter SET rescued = 0 WHERE $i", "rescued = 0");

    private final String sql;
    private final String found;

    Damage(String sql, String found) {
      this.sql = sql;
      this.found = found;
    }
  }

  private static String reserveRescued(String name) {
    reserve(name, spec().build());
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      filter.blockList().rescue("key 1", Rescue.because("lasting"));
      filter.blockList().rescue("key 2", MISTAKE);
      filter.blockList().rescue("key 2", Rescue.because("ending").until(END));
      filter.blockList().rescueEach(List.of("key 3", "no key"), MISTAKE);
      filter.blockList().endRescue("key 3");
      filter.fold();
    }
    return name;
  }

  @ParameterizedTest
  @EnumSource
  void aDisagreementIsFound(Damage damage) throws SQLException {
    String name = reserveRescued("rescued_" + damage.name().toLowerCase(Locale.ROOT));
    VerifyReport before = verify(name);
    assertSound(before);
    assertThat(before.checked())
        .filteredOn(checked -> checked.check() == Check.RESCUED_KEYS)
        .extracting(Checked::count)
        .containsExactly(3L);

    run(damage.sql, name);

    assertThat(verify(name).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.RESCUED_KEYS);
              assertThat(finding.severity()).isEqualTo(Finding.Severity.DAMAGE);
              assertThat(finding.found()).contains(damage.found);
            });
  }

  @Test
  void rowsThatTheJournalNoLongerKnowsAreTakenForRight() throws SQLException {
    String name = reserveRescued("rescued_cleared");
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      filter.clear();
      filter.addEach(keys(0, 100));
      filter.blockList().endRescue("key 1");
    }
    VerifyReport report = verify(name);
    assertThat(report.findings()).isEmpty();
    assertThat(report.checked())
        .filteredOn(checked -> checked.check() == Check.RESCUED_KEYS)
        .extracting(Checked::count)
        .containsExactly(2L);
  }

  @Test
  void aRowOfAFilterOfWhichNoKeyWasRescuedIsFound() throws SQLException {
    reserve("rescued_never", spec().build());
    assertThat(verify("rescued_never").checked()).noneMatch(c -> c.check() == Check.RESCUED_KEYS);
    sql.run(
        "INSERT INTO bloom_rescued VALUES (?, 1, 'by hand', 'x', UTC_TIMESTAMP(), NULL)",
        id("rescued_never"));
    assertThat(verify("rescued_never").findings())
        .anySatisfy(finding -> assertThat(finding.found()).contains("rescued = 0"));
  }
}
