package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.missing;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Until a replacement has taken place the old generations answer, so a filter is full when they
 * are.
 */
@DatabaseContract(shortLeases = true, onOne = true)
@Timeout(300)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class ReplaceCapacityIT implements SlotBloomListener {

  private static final int CAPACITY = 1_000;
  private static final int LARGER = 50_000;
  private static final List<String> BEFORE = keys("before ", 900);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom operator;
  @Fixture private static Sql sql;

  private final String name = newName();
  private final List<String> full = new CopyOnWriteArrayList<>();
  private final List<String> nearlyFull = new CopyOnWriteArrayList<>();
  private final List<String> failed = new CopyOnWriteArrayList<>();
  private final SlotBloom bloom = SlotBloom.builder(schema.dataSource()).listener(this).build();

  @AfterEach
  void close() {
    bloom.close();
  }

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.NearlyFull warned) {
      nearlyFull.add(warned.keys() + " of " + warned.capacity());
    } else if (event instanceof SlotBloomEvent.CapacityReached reached) {
      full.add(reached.keys() + " of " + reached.capacity());
    } else if (event instanceof SlotBloomEvent.GrowthFailed complaint) {
      failed.add(complaint.reason());
    }
  }

  private BloomFilter<String> reserve(OnFull onFull) {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(CAPACITY)
            .falsePositiveRate(1e-9)
            .onFull(onFull)
            .build();
    BloomFilter<String> filter = bloom.reserve(name, spec);
    filter.addEach(BEFORE);
    return filter;
  }

  /** A source that lacks keys leaves the filter in the middle of its replacement. */
  private void beginReplacing() {
    assertThatThrownBy(
            () ->
                operator
                    .admin(name)
                    .replace(LARGER, source(BEFORE.subList(1, 900)), ReplaceOptions.defaults()))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(
            name,
            Long.toString(operator.info(name).keysAdded()),
            "899",
            "capacity of 1000",
            "grow " + name + " --capacity 50000",
            "--force",
            "grow " + name + " --abort");
  }

  @Test
  void aFilterThatRefusesMoreKeysGoesOnToRefuse() throws Exception {
    BloomFilter<String> filter = reserve(OnFull.REFUSE);
    beginReplacing();
    assertThat(filter.addEach(keys("fits ", 90))).containsOnly(true);
    assertThatExceptionOfType(FilterFullException.class)
        .isThrownBy(() -> filter.addEach(keys("more ", 5000)))
        .satisfies(e -> assertThat(e.capacity()).isEqualTo(CAPACITY));
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThatExceptionOfType(FilterFullException.class)
          .isThrownBy(() -> filter.within(connection).addEach(keys("more ", 5000)));
      connection.rollback();
    }
    FilterInfo info = operator.info(name);
    assertThat(info.capacity()).isEqualTo(CAPACITY);
    assertThat(info.replacementCapacity()).hasValue(LARGER);
    assertThat(info.nearlyFull()).isTrue();
    assertThat(nearlyFull).containsExactly("900 of 1000");

    operator.admin(name).replace(LARGER, source(BEFORE), ReplaceOptions.defaults());
    assertThat(operator.info(name).capacity()).isEqualTo(LARGER);
    assertThat(operator.info(name).replacementCapacity()).isEmpty();
    assertThat(filter.addEach(keys("more ", 5000))).containsOnly(true);
    assertThat(missing(filter, BEFORE)).isEmpty();
    assertThat(missing(filter, keys("fits ", 90))).isEmpty();
  }

  @Test
  void aFilterThatGrowsAutomaticallyDoesSoDuringAReplacement() {
    BloomFilter<String> filter = reserve(OnFull.GROW);
    beginReplacing();
    assertThat(filter.addEach(keys("more ", 200))).containsOnly(true);
    FilterInfo info = operator.info(name);
    assertThat(info.capacity()).isBetween(1_100L, 2L * CAPACITY);
    assertThat(info.replacementCapacity()).hasValue(LARGER);
    assertThat(info.generations())
        .extracting(FilterInfo.Generation::number, each -> each.state().name())
        .containsExactly(tuple(1, "ACTIVE"), tuple(3, "ACTIVE"), tuple(2, "FILLING"));
    assertThat(full).isEmpty();
    assertThat(failed).isEmpty();

    operator.admin(name).abortReplacement();
    assertThat(operator.info(name).capacity()).isEqualTo(info.capacity());
    assertThat(operator.info(name).generations()).hasSize(2);
    assertThat(filter.add("one more")).isTrue();
    assertThat(missing(filter, BEFORE)).isEmpty();
    assertThat(missing(filter, keys("more ", 200))).isEmpty();
  }

  @Test
  void aReplacementFindsAnFalsePositiveRateFarAboveTheTarget() throws Exception {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(CAPACITY)
            .falsePositiveRate(0.001)
            .onFull(OnFull.DEGRADE)
            .build();
    BloomFilter<String> filter = bloom.reserve(name, spec);
    filter.addEach(BEFORE);
    assertThat(rateFindings()).isEmpty();
    filter.addEach(keys("too many ", 20_000));
    assertThat(rateFindings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Finding.Severity.DAMAGE);
              assertThat(finding.expected()).contains("0.001");
              assertThat(finding.remedy()).contains("grow " + name + " --capacity", "--from");
            });
    beginReplacing();
    assertThat(rateFindings())
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.remedy())
                    .contains("being replaced", "grow " + name + " --abort"));
    operator.admin(name).abortReplacement();
    // However it came to be so: here the target is what was raised by hand in the catalog.
    sql.run("UPDATE bloom_filter SET capacity = 1000000 WHERE name = ?", name);
    assertThat(rateFindings()).hasSize(1);
  }

  private List<Finding> rateFindings() {
    operator.admin(name).fold();
    VerifyReport report = operator.admin(name).verify(VerifyOptions.defaults());
    return report.findings().stream()
        .filter(finding -> finding.kind() == Finding.Kind.FALSE_POSITIVE_RATE)
        .toList();
  }
}
