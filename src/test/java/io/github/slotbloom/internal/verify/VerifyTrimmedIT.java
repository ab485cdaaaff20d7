package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.VerifiedFilters;
import java.math.BigInteger;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Verifying finds less where the journal was trimmed, and more where hashes are retained. */
@DatabaseContract
class VerifyTrimmedIT extends VerifiedFilters {

  @Test
  void givenKeysAndTheFillShowALossAfterTrimming() throws SQLException {
    reserve("trimmed", spec().build());
    trimTo("trimmed", 2);
    VerifyReport sound = verify("trimmed");
    assertSound(sound);
    assertThat(sound.unchecked())
        .extracting(Unchecked::check)
        .containsExactly(Check.FOLDED_ENTRIES);
    KeySource all = KeySource.of("a list", KeyType.text(), () -> keys(0, KEYS).stream());
    VerifyOptions given = VerifyOptions.defaults().keys(all);
    assertSound(bloom.admin("trimmed").verify(given));

    // One that only keys of the trimmed entries need.
    int hit = 0;
    long before = sql.number("SELECT COUNT(*) FROM " + sql.slots("trimmed", 1));
    for (long slot = 0; hit == 0 && slot < before; slot++) {
      long bits =
          sql.number("SELECT bits FROM " + sql.slots("trimmed", 1) + " WHERE slot = ?", slot);
      sql.run("UPDATE " + sql.slots("trimmed", 1) + " SET bits = 0 WHERE slot = ?", slot);
      if (bits != 0 && verify("trimmed").sound()) {
        hit++;
      } else {
        sql.run(
            "UPDATE " + sql.slots("trimmed", 1) + " SET bits = ? WHERE slot = ?",
            new BigInteger(Long.toUnsignedString(bits)),
            slot);
      }
    }
    assertThat(hit).as("a loss that is not seen").isEqualTo(1);
    assertThat(bloom.admin("trimmed").verify(given).findings())
        .isNotEmpty()
        .allMatch(finding -> finding.kind() == Kind.KEY_MISSING)
        .allMatch(finding -> finding.found().contains("of a list"));

    sql.run("DELETE FROM " + sql.slots("trimmed", 1));
    trimTo("trimmed", 3);
    run("UPDATE bloom_fold SET folded_seq = 3 WHERE $f", "trimmed");
    assertThat(verify("trimmed").findings())
        .extracting(Finding::kind)
        .containsExactlyInAnyOrder(Kind.ENTRY_MISSING, Kind.FILL);
  }

  @Test
  void theFillShowsManyLostBits() throws SQLException {
    reserve("emptied", spec().build());
    trimTo("emptied", 2);
    sql.run("DELETE FROM " + sql.slots("emptied", 1) + " ORDER BY slot LIMIT 600");
    assertThat(verify("emptied").findings())
        .extracting(Finding::kind)
        .contains(Kind.BITS_MISSING, Kind.FILL);
  }

  @Test
  void retainedHashesReplaceTrimmedEntries() throws SQLException {
    reserve("retaining", spec().retainHashes().build());
    // As trimming does.
    sql.run(
        "INSERT INTO bloom_hash_block VALUES (?, 0, ?, ?)",
        id("retaining"),
        Long.MIN_VALUE,
        ByHand.payload(keys(0, KEYS / 3).stream().mapToLong(ByHand::hash).sorted().toArray()));
    trimTo("retaining", 1);
    VerifyReport sound = verify("retaining");
    assertSound(sound);
    assertThat(sound.unchecked()).extracting(Unchecked::check).doesNotContain(Check.FOLDED_ENTRIES);

    sql.run("DELETE FROM " + sql.slots("retaining", 1));
    VerifyReport emptied = verify("retaining");
    assertThat(emptied.findings())
        .extracting(Finding::kind)
        .contains(Kind.BITS_MISSING, Kind.FILL)
        .doesNotContain(Kind.HASH_MISSING, Kind.RETAINED_HASHES);
    assertThat(emptied.unlisted()).containsKey(Kind.BITS_MISSING);
    assertThat(repair("retaining").sound()).isTrue();
    assertSound(verify("retaining"));

    sql.run("UPDATE bloom_hash_block SET hashes = REVERSE(hashes)");
    assertThat(verify("retaining").findings())
        .extracting(Finding::kind)
        .contains(Kind.RETAINED_HASHES);
  }

  @Test
  void aFilterThatNeverHadAKeyIsSoundHoweverOldItIs() throws SQLException {
    bloom.reserve("empty", spec().build()).close();
    trimTo("empty", 0);
    VerifyReport report = verify("empty");
    assertSound(report);
    assertThat(report.unchecked()).isEmpty();
  }

  @Test
  void aFilterThatWasClearedIsSoundHoweverLittleOfItsJournalIsLeft() throws SQLException {
    reserve("cleared", spec().build());
    bloom.admin("cleared").clear();
    trimTo("cleared", 3);
    VerifyReport report = verify("cleared");
    assertSound(report);
    assertThat(report.unchecked()).isEmpty();
    run("DELETE FROM bloom_journal WHERE $f AND seq > 0", "cleared");
    assertThat(verify("cleared").findings())
        .extracting(Finding::kind)
        .containsExactly(Kind.ENTRY_MISSING);
  }

  @Test
  void theCountShowsMissingRetainedHashes() throws SQLException {
    reserve("incomplete", spec().retainHashes().build());
    trimTo("incomplete", 1);
    assertThat(verify("incomplete").findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo(Kind.RETAINED_HASHES);
              assertThat(finding.found()).startsWith("200 hashes");
              assertThat(finding.expected()).startsWith("at least 300");
            });
  }
}
