package io.github.slotbloom.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/** The meters of all open filters of one name, in all registries. Thread-safe. */
final class FilterMeters {

  /**
   * What one registry has.
   *
   * @param adds the timer of adds, which is one of the meters
   */
  private record Registered(Timer adds, List<Meter> meters) {}

  private final Tags tags;
  private final FilterFigures figures;
  private final Map<MeterRegistry, Registered> registered = new ConcurrentHashMap<>();

  /**
   * Creates meters that no registry has yet.
   *
   * @param tags tags of all meters
   */
  FilterMeters(Tags tags, LongSupplier nanoTime) {
    this.tags = tags;
    this.figures = new FilterFigures(nanoTime);
  }

  /** Returns what the meters show. */
  FilterFigures figures() {
    return figures;
  }

  /** Takes in that an add needed the database for so long. */
  void added(Duration took) {
    registered.values().forEach(one -> one.adds().record(took));
  }

  void bindTo(MeterRegistry registry) {
    Timer adds =
        Timer.builder("slotbloom.add")
            .description("Adds that needed the database, one per transaction of a call")
            .tags(tags)
            .register(registry);
    List<Meter> meters =
        List.of(
            adds,
            keys(registry, "new", FilterFigures::newKeys),
            keys(registry, "seen", FilterFigures::seenKeys),
            lookups(registry, "yes", "memory", FilterFigures::yesFromMemory),
            lookups(registry, "yes", "database", FilterFigures::yesFromDatabase),
            lookups(registry, "no", "memory", FilterFigures::noFromMemory),
            lookups(registry, "no", "database", FilterFigures::noFromDatabase),
            TimeGauge.builder(
                    "slotbloom.mirror.lag",
                    figures,
                    TimeUnit.SECONDS,
                    FilterFigures::mirrorLagSeconds)
                .description("Upper bound of the time since the mirror was up to date")
                .tags(tags)
                .register(registry),
            gauge("slotbloom.mirror.bytes", FilterFigures::mirrorBytes)
                .baseUnit("bytes")
                .description("Memory used by the mirror's bits")
                .register(registry),
            gauge("slotbloom.fold.backlog", FilterFigures::backlog)
                .baseUnit("entries")
                .description("Journal entries waiting to be folded")
                .register(registry),
            gauge("slotbloom.capacity.used", FilterFigures::used)
                .description("Used share of the capacity")
                .register(registry),
            rate(registry, "target", FilterFigures::targetRate),
            rate(registry, "estimated", FilterFigures::estimatedRate),
            rate(registry, "observed", FilterFigures::observedRate),
            gauge("slotbloom.queue", FilterFigures::queuedKeys)
                .baseUnit("keys")
                .description("Keys waiting to be written")
                .register(registry));
    registered.put(registry, new Registered(adds, meters));
  }

  private Meter keys(
      MeterRegistry registry, String result, ToDoubleFunction<FilterFigures> figure) {
    return FunctionCounter.builder("slotbloom.keys", figures, figure)
        .baseUnit("keys")
        .description("Added keys")
        .tags(tags.and("result", result))
        .register(registry);
  }

  private Meter lookups(
      MeterRegistry registry, String answer, String from, ToDoubleFunction<FilterFigures> figure) {
    return FunctionCounter.builder("slotbloom.lookups", figures, figure)
        .description("Looked-up keys")
        .tags(tags.and("answer", answer, "from", from))
        .register(registry);
  }

  private Meter rate(MeterRegistry registry, String kind, ToDoubleFunction<FilterFigures> figure) {
    return gauge("slotbloom.false.positive.rate", figure)
        .description("Share of absent keys that count as members")
        .tag("kind", kind)
        .register(registry);
  }

  private Gauge.Builder<FilterFigures> gauge(String name, ToDoubleFunction<FilterFigures> figure) {
    return Gauge.builder(name, figures, figure).tags(tags);
  }

  void forgetClosedRegistries() {
    registered.keySet().removeIf(MeterRegistry::isClosed);
  }

  /** Removes all meters from all registries. */
  void remove() {
    registered.forEach((registry, one) -> one.meters().forEach(registry::remove));
    registered.clear();
  }
}
