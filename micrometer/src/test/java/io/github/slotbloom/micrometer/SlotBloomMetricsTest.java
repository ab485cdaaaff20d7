package io.github.slotbloom.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.DatabaseAnswers;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Which meters there are, and what they add up. */
class SlotBloomMetricsTest {

  private final AtomicInteger computedRates = new AtomicInteger();

  private final ProcessStatistics used =
      new Statistics(
          new FilterUsage(10, 20, 30, 40, 5),
          new DatabaseAnswers(7, 8),
          90,
          11,
          12,
          0.5,
          Optional.of(new MirrorState(1000, 1, 0, Duration.ofMillis(1500))),
          this::rate);

  private final ProcessStatistics unused =
      new Statistics(
          FilterUsage.NONE, new DatabaseAnswers(0, 0), 0, 0, 0, 0.25, Optional.empty(), this::rate);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicLong clock = new AtomicLong();
  private final SlotBloomMetrics metrics = new SlotBloomMetrics(List.of(), clock::get);

  private record Statistics(
      FilterUsage usage,
      DatabaseAnswers byDatabase,
      long waited,
      long queuedKeys,
      long backlog,
      double used,
      Optional<MirrorState> mirror,
      Supplier<CurrentFalsePositiveRate> rate)
      implements ProcessStatistics {

    @Override
    public CurrentFalsePositiveRate currentFalsePositiveRate() {
      return rate.get();
    }
  }

  private CurrentFalsePositiveRate rate() {
    return new CurrentFalsePositiveRate(0.001 * computedRates.incrementAndGet(), 0.01);
  }

  private BloomFilter<?> filter(String name, ProcessStatistics statistics) {
    return (BloomFilter<?>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {BloomFilter.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "name" -> name;
                  case "statistics" -> statistics;
                  default -> throw new UnsupportedOperationException(method.toString());
                });
  }

  private void opened(BloomFilter<?> filter) {
    metrics.on(new SlotBloomEvent.Opened(filter));
  }

  private void closed(BloomFilter<?> filter) {
    metrics.on(new SlotBloomEvent.Closed(filter));
  }

  private void added(String filter, int keys, int newKeys, Duration took) {
    metrics.on(new SlotBloomEvent.Added(filter, keys, newKeys, took));
  }

  private double value(String name, String... tags) {
    Meter meter = registry.get(name).tags(tags).meter();
    return meter.measure().iterator().next().getValue();
  }

  @Test
  void eachFigureHasAMeter() {
    metrics.bindTo(registry);
    opened(filter("urls", used));
    assertThat(value("slotbloom.keys", "filter", "urls", "result", "new")).isEqualTo(30);
    assertThat(value("slotbloom.keys", "filter", "urls", "result", "seen")).isEqualTo(40);
    assertThat(value("slotbloom.lookups", "answer", "no", "from", "memory")).isEqualTo(3);
    assertThat(value("slotbloom.lookups", "answer", "no", "from", "database")).isEqualTo(7);
    assertThat(value("slotbloom.lookups", "answer", "yes", "from", "memory")).isEqualTo(12);
    assertThat(value("slotbloom.lookups", "answer", "yes", "from", "database")).isEqualTo(8);
    assertThat(registry.get("slotbloom.mirror.lag").timeGauge().value(TimeUnit.SECONDS))
        .isEqualTo(1.5);
    assertThat(value("slotbloom.mirror.bytes")).isEqualTo(1000);
    assertThat(value("slotbloom.fold.backlog")).isEqualTo(12);
    assertThat(value("slotbloom.capacity.used")).isEqualTo(0.5);
    assertThat(value("slotbloom.queue")).isEqualTo(11);
    assertThat(value("slotbloom.false.positive.rate", "kind", "target")).isEqualTo(0.01);
    assertThat(value("slotbloom.false.positive.rate", "kind", "estimated")).isEqualTo(0.001);
    assertThat(value("slotbloom.false.positive.rate", "kind", "observed")).isEqualTo(5 / 45.0);
    assertThat(registry.getMeters())
        .hasSize(15)
        .allSatisfy(meter -> assertThat(meter.getId().getTag("filter")).isEqualTo("urls"));
  }

  @Test
  void addsAreTimed() {
    added("urls", 1, 1, Duration.ofMillis(1)); // opened by nobody
    metrics.bindTo(registry);
    opened(filter("urls", unused));
    opened(filter("mails", unused));
    added("urls", 1, 1, Duration.ofMillis(2));
    added("urls", 1000, 3, Duration.ofMillis(4));
    var timer = registry.get("slotbloom.add").tag("filter", "urls").timer();
    assertThat(timer.count()).isEqualTo(2);
    assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
    assertThat(registry.get("slotbloom.add").tag("filter", "mails").timer().count()).isZero();
  }

  @Test
  void bindingAndOpeningMayComeInAnyOrder() {
    opened(filter("urls", used));
    metrics.bindTo(registry);
    opened(filter("mails", used));
    assertThat(registry.getMeters()).hasSize(30);
  }

  @Test
  void bindingAgainDoesNothing() {
    opened(filter("urls", used));
    metrics.bindTo(registry);
    metrics.bindTo(registry);
    added("urls", 1, 1, Duration.ofMillis(2));
    assertThat(registry.getMeters()).hasSize(15);
    assertThat(registry.get("slotbloom.add").timer().count()).isEqualTo(1);
  }

  @Test
  void metersOfClosedFiltersGoAway() {
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    metrics.bindTo(registry);
    metrics.bindTo(other);
    for (int i = 0; i < 3; i++) {
      BloomFilter<?> urls = filter("urls", used);
      opened(urls);
      assertThat(registry.getMeters()).hasSize(15);
      assertThat(other.getMeters()).hasSize(15);
      closed(urls);
      assertThat(registry.getMeters()).isEmpty();
      assertThat(other.getMeters()).isEmpty();
    }
  }

  @Test
  void filtersOfOneNameShareMetersWhoseCountsNeverFall() {
    BloomFilter<?> first = filter("urls", used);
    BloomFilter<?> second = filter("urls", used);
    metrics.bindTo(registry);
    opened(first);
    opened(second);
    opened(filter("mails", used));
    assertThat(registry.getMeters()).hasSize(30);
    assertThat(value("slotbloom.keys", "filter", "urls", "result", "new")).isEqualTo(60);
    assertThat(value("slotbloom.mirror.bytes", "filter", "urls")).isEqualTo(2000);
    assertThat(value("slotbloom.capacity.used", "filter", "urls")).isEqualTo(0.5);

    closed(first);
    closed(first);
    assertThat(value("slotbloom.keys", "filter", "urls", "result", "new")).isEqualTo(60);
    assertThat(value("slotbloom.mirror.bytes", "filter", "urls")).isEqualTo(1000);
    closed(second);
    assertThat(registry.find("slotbloom.keys").tag("filter", "urls").meters()).isEmpty();
    assertThat(registry.getMeters()).hasSize(15);
  }

  @Test
  void closedRegistriesAreForgotten() {
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    metrics.bindTo(registry);
    metrics.bindTo(other);
    opened(filter("urls", used));
    other.close();
    BloomFilter<?> mails = filter("mails", used);
    opened(mails);
    closed(mails);
    assertThat(other.find("slotbloom.keys").tag("filter", "mails").meters()).isEmpty();
    assertThat(registry.getMeters()).hasSize(15);
  }

  @Test
  void withoutAMirrorItsLagIsUnknown() {
    metrics.bindTo(registry);
    opened(filter("urls", unused));
    assertThat(value("slotbloom.mirror.lag")).isNaN();
    assertThat(value("slotbloom.mirror.bytes")).isZero();
    assertThat(value("slotbloom.false.positive.rate", "kind", "observed")).isNaN();
  }

  @Test
  void theFalsePositiveRateIsComputedOnceAMinute() {
    metrics.bindTo(registry);
    opened(filter("urls", used));
    for (int i = 0; i < 3; i++) {
      assertThat(value("slotbloom.false.positive.rate", "kind", "estimated")).isEqualTo(0.001);
      assertThat(value("slotbloom.false.positive.rate", "kind", "target")).isEqualTo(0.01);
    }
    clock.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
    assertThat(value("slotbloom.false.positive.rate", "kind", "estimated")).isEqualTo(0.001);
    clock.incrementAndGet();
    assertThat(value("slotbloom.false.positive.rate", "kind", "estimated")).isEqualTo(0.002);
  }

  @Test
  void tagsTellSeveralDatabasesApart() {
    for (String database : List.of("orders", "mails")) {
      SlotBloomMetrics ofOne = new SlotBloomMetrics(Tags.of("database", database));
      ofOne.bindTo(registry);
      ofOne.on(new SlotBloomEvent.Opened(filter("seen", used)));
    }
    assertThat(registry.getMeters()).hasSize(30);
    assertThat(value("slotbloom.queue", "database", "orders", "filter", "seen")).isEqualTo(11);
  }
}
