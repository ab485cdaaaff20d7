package io.github.slotbloom.micrometer;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.TestSchema;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the meters of filters in a database show. */
@DatabaseContract(migrated = true)
@Timeout(180)
class SlotBloomMetricsIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(1e-9).build();

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SlotBloomMetrics metrics = new SlotBloomMetrics();
  private final String name = newName();
  private SlotBloom bloom;

  @BeforeEach
  void open() {
    metrics.bindTo(registry);
    bloom = instances.another(pool -> {}, settings -> settings.listener(metrics));
  }

  private double value(String meter, String... tags) {
    Meter found = registry.get(meter).tag("filter", name).tags(tags).meter();
    return found.measure().iterator().next().getValue();
  }

  private Timer adds() {
    return registry.get("slotbloom.add").tag("filter", name).timer();
  }

  @Test
  void answersAreCountedByWhereTheyCameFrom() {
    try (BloomFilter<String> filter = bloom.reserve(name, SPEC)) {
      assertThat(filter.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
      assertThat(filter.addAsync("c").join()).isTrue();
      assertThat(filter.add("a")).isFalse();
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(true, true);
      assertThat(filter.mightContain("x")).isFalse();
      assertThat(filter.mightContainEach(List.of("a", "x"))).containsExactly(true, false);

      assertThat(value("slotbloom.keys", "result", "new")).isEqualTo(3);
      assertThat(value("slotbloom.keys", "result", "seen")).isEqualTo(2);
      assertThat(value("slotbloom.lookups", "answer", "yes", "from", "memory")).isEqualTo(3);
      assertThat(value("slotbloom.lookups", "answer", "no", "from", "memory")).isZero();
      assertThat(value("slotbloom.lookups", "answer", "yes", "from", "database")).isEqualTo(1);
      assertThat(value("slotbloom.lookups", "answer", "no", "from", "database")).isEqualTo(2);
      assertThat(adds().count()).as("memory knew one of three calls").isEqualTo(2);
      assertThat(adds().totalTime(TimeUnit.NANOSECONDS)).isPositive();
    }
  }

  @Test
  void withoutAMirrorTheDatabaseAnswersAll() {
    bloom.reserve(name, SPEC).close();
    FilterOptions direct = FilterOptions.defaults().withoutMirror();
    try (BloomFilter<String> filter = bloom.open(name, SPEC, direct)) {
      filter.add("a");
      filter.add("a");
      filter.mightContain("a");
      filter.mightContain("x");
      assertThat(value("slotbloom.lookups", "answer", "yes", "from", "database")).isEqualTo(1);
      assertThat(value("slotbloom.lookups", "answer", "no", "from", "database")).isEqualTo(1);
      assertThat(value("slotbloom.lookups", "answer", "yes", "from", "memory")).isZero();
      assertThat(adds().count()).isEqualTo(2);
      assertThat(value("slotbloom.mirror.lag")).isNaN();
      assertThat(value("slotbloom.mirror.bytes")).isZero();
    }
  }

  @Test
  void theGaugesFollowTheFilter() {
    try (BloomFilter<String> filter = bloom.reserve(name, SPEC)) {
      assertThat(value("slotbloom.capacity.used")).isZero();
      filter.addEach(keys("key ", 500));
      await().untilAsserted(() -> assertThat(value("slotbloom.capacity.used")).isEqualTo(0.5));
      bloom.admin(filter.name()).fold();
      await().untilAsserted(() -> assertThat(value("slotbloom.fold.backlog")).isZero());
      assertThat(value("slotbloom.mirror.bytes"))
          .isEqualTo(bloom.info(filter.name()).mirrorBytes());
      assertThat(registry.get("slotbloom.mirror.lag").timeGauge().value(TimeUnit.SECONDS))
          .isBetween(0.0, 30.0);
      assertThat(value("slotbloom.false.positive.rate", "kind", "target")).isEqualTo(1e-9);
      assertThat(value("slotbloom.false.positive.rate", "kind", "estimated"))
          .isEqualTo(filter.statistics().currentFalsePositiveRate().current());
      assertThat(value("slotbloom.false.positive.rate", "kind", "observed")).isNaN();
      assertThat(filter.reportFalsePositives(List.of("key 1"))[0]).isTrue();
      assertThat(value("slotbloom.false.positive.rate", "kind", "observed")).isEqualTo(1 / 501.0);
    }
  }

  @Test
  void keysThatWaitAreSeenInTheQueueAndTimedFromTheCall() throws Exception {
    try (BloomFilter<String> filter = bloom.reserve(name, SPEC);
        Connection lock = schema.dataSource().getConnection();
        Statement statement = lock.createStatement()) {
      lock.setAutoCommit(false);
      statement.execute("SELECT * FROM bloom_filter WHERE name = '" + name + "' FOR UPDATE");
      long begun = System.nanoTime();
      CompletableFuture<Boolean> first = Calls.inBackground(() -> filter.add("first"));
      await().until(() -> filter.statistics().waited() == 1);
      await().until(() -> value("slotbloom.queue") == 0);
      CompletableFuture<boolean[]> second =
          Calls.inBackground(() -> filter.addEach(List.of("a", "b", "c")));
      await().untilAsserted(() -> assertThat(value("slotbloom.queue")).isEqualTo(3));
      // So long that the figures of a measurement could not be told from noise.
      long waiting = System.nanoTime();
      await().until(() -> System.nanoTime() - waiting > Duration.ofMillis(100).toNanos());
      long atLeast = System.nanoTime() - waiting;
      lock.rollback();
      assertThat(Calls.get(first)).isTrue();
      assertThat(Calls.get(second)).containsExactly(true, true, true);
      assertThat(value("slotbloom.queue")).isZero();
      assertThat(adds().totalTime(TimeUnit.NANOSECONDS))
          .isBetween(2.0 * atLeast, 2.0 * (System.nanoTime() - begun));
    }
  }

  @Test
  void metersOfClosedFiltersGoAway() {
    for (int i = 0; i < 3; i++) {
      BloomFilter<String> filter = bloom.openOrReserve(name, SPEC);
      assertThat(registry.find("slotbloom.capacity.used").tag("filter", name).meters()).hasSize(1);
      filter.close();
      filter.close();
      assertThat(registry.getMeters()).isEmpty();
    }
    bloom.open(name, SPEC);
    bloom.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aScrapeSendsNothingToTheDatabase() {
    bloom.reserve(name, SPEC).close();
    RecordedSql sql = new RecordedSql(schema.dataSource());
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    metrics.bindTo(prometheus);
    try (SlotBloom recorded = SlotBloom.builder(sql.dataSource()).listener(metrics).build();
        BloomFilter<String> filter = recorded.open(name, SPEC)) {
      filter.add("a");
      bloom.admin(filter.name()).fold();
      long waited = filter.statistics().waited();
      int scrapes = 1000;
      for (int i = 0; i < scrapes; i++) {
        assertThat(prometheus.scrape())
            .contains("slotbloom_capacity_used{filter=\"" + name + "\"}");
      }
      assertThat(filter.statistics().waited()).isEqualTo(waited);
      assertThat(sql.texts())
          .as("two heartbeats a second, and no statement for each of the scrapes")
          .hasSizeLessThan(scrapes);
    }
  }

  @Test
  void prometheusSeesTheNamesThatAreDocumented() throws Exception {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    metrics.bindTo(prometheus);
    try (BloomFilter<String> filter = bloom.reserve(name, SPEC)) {
      filter.add("a");
      filter.mightContain("a");
      Scrape scrape = Scrape.of(prometheus.scrape());
      assertThat(scrape.names())
          .containsExactlyInAnyOrder(
              "slotbloom_add_seconds_count",
              "slotbloom_add_seconds_sum",
              "slotbloom_add_seconds_max",
              "slotbloom_keys_total",
              "slotbloom_lookups_total",
              "slotbloom_mirror_lag_seconds",
              "slotbloom_mirror_bytes",
              "slotbloom_fold_backlog_entries",
              "slotbloom_capacity_used",
              "slotbloom_false_positive_rate",
              "slotbloom_queue_keys");
      Dashboard dashboard = Dashboard.ofTheProject();
      assertThat(dashboard.queries()).hasSizeGreaterThan(8);
      assertThat(dashboard.selectors())
          .allSatisfy(
              selector -> assertThat(scrape.has(selector)).as(selector.toString()).isTrue());
      assertThat(dashboard.selectors())
          .extracting(Dashboard.Selector::metric)
          .as("each metric is drawn")
          .containsAll(scrape.names());
    }
  }
}
