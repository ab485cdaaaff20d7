package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.VerifiedFilters;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Verifying finds nothing in a filter that is sound, whatever was done to it or is being done. */
@DatabaseContract(shortLeases = true)
class VerifySoundIT extends VerifiedFilters {

  /** Neither has all of its keys in its journal, nor a count that is exact. */
  @Test
  void importedAndMergedFiltersAreSoundUntilBitsAreLost() throws SQLException {
    reserve("one", spec().build());
    bloom.admin("one").copyTo("copied");
    assertSound(verify("copied"));
    try (BloomFilter<String> copied = bloom.open("copied", KeyType.text())) {
      copied.addEach(keys(KEYS, 2 * KEYS));
      bloom.admin(copied.name()).fold();
    }
    assertSound(verify("copied"));

    bloom.reserve("merged", spec().build()).close();
    bloom.admin("one").mergeInto("merged");
    assertSound(verify("merged"));
    bloom.admin("merged").fold();
    assertSound(verify("merged"));
    run("DELETE FROM $t WHERE bits <> 0 ORDER BY slot LIMIT 1", "merged");
    VerifyReport report = verify("merged");
    assertThat(report.findings()).extracting(Finding::kind).containsExactly(Kind.BITS_MISSING);
    assertThat(report.findings().get(0).remedy()).contains("Merge");
    bloom.admin("one").mergeInto("merged");
    bloom.admin("merged").fold();
    assertSound(verify("merged"));
  }

  @Test
  void aFilterIsSoundDuringAndAfterAReplacementAndAClear() throws Exception {
    reserve("replaced", spec().build());
    List<String> all = keys(0, KEYS);
    try (HeldReplacement held = new HeldReplacement(bloom, "replaced", 9000, all)) {
      assertSound(verify("replaced"));
      sql.run("INSERT INTO " + sql.slots("replaced", 1) + " VALUES (1000000, 1)");
      assertThatThrownBy(() -> repair("replaced"))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("being replaced");
      sql.run("DELETE FROM " + sql.slots("replaced", 1) + " WHERE slot = 1000000");
      held.finish();
    }
    assertSound(verify("replaced"));
    bloom
        .admin("replaced")
        .replace(
            20_000,
            KeySource.of("a part", KeyType.text(), () -> keys(0, 10).stream()),
            ReplaceOptions.defaults().forced());
    VerifyReport forgetful = verify("replaced");
    assertThat(forgetful.sound()).isTrue();
    assertThat(forgetful.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.REMARK);
              assertThat(finding.found()).startsWith((KEYS - 10) + " recorded hashes");
            });
    bloom.admin("replaced").clear();
    assertSound(verify("replaced"));
    try (BloomFilter<String> filter = bloom.open("replaced", KeyType.text())) {
      assertThat(filter.add("after")).isTrue();
    }
    assertSound(verify("replaced"));
  }

  @Test
  void aFilterIsSoundWhileItIsWrittenTrimmedGrownAndCleared() throws Exception {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(4000).falsePositiveRate(0.01).build();
    bloom.reserve("busy", spec).close();
    trimTo("busy", 0);
    run("UPDATE bloom_filter SET retention_seconds = 0 WHERE $i", "busy");
    // Between the steps of a verification, and so between reading how far it is folded and the
    // rest.
    VerifyOptions trimming = VerifyOptions.defaults().onProgress(progress -> trimFolded("busy"));
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<?>> work = new ArrayList<>();
    try (Instances instances = new Instances(schema)) {
      for (int i = 0; i < 2; i++) {
        BloomFilter<String> filter = instances.another().open("busy", KeyType.text());
        work.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!over.get()) {
                    int from = next.getAndAdd(7);
                    filter.addEach(keys(from, from + 7));
                  }
                }));
      }
      try {
        for (int round = 0; round < 9; round++) {
          VerifyReport report = bloom.admin("busy").verify(trimming);
          assertThat(report.findings())
              .as("round %s, %s", round, report)
              .allMatch(finding -> finding.severity() == Severity.REMARK);
          if (round == 2) {
            bloom.admin("busy").grow(60_000);
          }
          if (round == 5) {
            bloom.admin("busy").clear();
          }
        }
      } finally {
        over.set(true);
        CompletableFuture.allOf(work.toArray(CompletableFuture[]::new)).join();
      }
    }
    assertThat(next.get()).isGreaterThan(100);
    assertThat(verify("busy").sound()).isTrue();
  }
}
