package io.github.slotbloom.micrometer;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Registers meters for each filter that is open. Give it to {@link
 * io.github.slotbloom.SlotBloom.Builder#listener} and bind it to a registry, in any order:
 *
 * <pre>{@code
 * SlotBloomMetrics metrics = new SlotBloomMetrics();
 * metrics.bindTo(registry);
 * SlotBloom bloom = SlotBloom.builder(dataSource).listener(metrics).build();
 * }</pre>
 *
 * <p>The meters have the tag {@code filter}, the name of the filter. No key becomes a tag.
 *
 * <ul>
 *   <li>{@code slotbloom.add}: timer of adds that needed the database, one for each transaction of
 *       a call
 *   <li>{@code slotbloom.keys}: added keys; {@code result} is {@code new} or {@code seen}
 *   <li>{@code slotbloom.lookups}: keys that were looked up; {@code answer} is {@code yes} or
 *       {@code no}, {@code from} is {@code memory} or {@code database}
 *   <li>{@code slotbloom.mirror.lag}: upper bound of the time since the mirror held everything in
 *       the database, in seconds; NaN without a mirror
 *   <li>{@code slotbloom.mirror.bytes}: memory of the mirror's bits
 *   <li>{@code slotbloom.fold.backlog}: journal entries that wait to be folded
 *   <li>{@code slotbloom.capacity.used}: the part of the capacity that is used; of a window, that
 *       of the current bucket
 *   <li>{@code slotbloom.false.positive.rate}: false positive rate; {@code kind} is {@code target},
 *       {@code estimated} from the bits or the number of keys, or {@code observed} by reports of
 *       false positives, NaN while there are none. The first two are computed once a minute at most
 *   <li>{@code slotbloom.queue}: keys that wait to be written
 * </ul>
 *
 * <p>The meters are read from memory, and no call is slower for them: calls that memory answers are
 * counted in any case, and no clock is read for those. The meters of a filter are removed when it
 * is closed.
 *
 * <p>Filters of one name share their meters: counts and sizes are added, and the greatest of each
 * other figure counts. So processes with several databases whose filters have the same names need
 * an object for each {@link io.github.slotbloom.SlotBloom}, with tags that tell them apart.
 *
 * <p>Thread-safe. Binding to a registry again does nothing. Closed registries are forgotten when
 * the next filter is opened or closed.
 */
public final class SlotBloomMetrics implements SlotBloomListener, MeterBinder {

  private final Tags tags;
  private final LongSupplier nanoTime;
  private final Set<MeterRegistry> registries = new HashSet<>();
  private final Map<String, FilterMeters> open = new ConcurrentHashMap<>();

  /** Creates metrics without filters. */
  public SlotBloomMetrics() {
    this(List.of());
  }

  /**
   * Creates metrics without filters.
   *
   * @param tags all meters get these tags beside their own
   */
  public SlotBloomMetrics(Iterable<Tag> tags) {
    this(tags, System::nanoTime);
  }

  SlotBloomMetrics(Iterable<Tag> tags, LongSupplier nanoTime) {
    this.tags = Tags.of(tags);
    this.nanoTime = nanoTime;
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (registries.add(registry)) {
      open.values().forEach(meters -> meters.bindTo(registry));
    }
  }

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.Added added) {
      FilterMeters meters = open.get(added.filter());
      if (meters != null) {
        meters.added(added.took());
      }
    } else if (event instanceof SlotBloomEvent.Opened opened) {
      opened(opened.of());
    } else if (event instanceof SlotBloomEvent.Closed closed) {
      closed(closed.of());
    }
  }

  private synchronized void opened(BloomFilter<?> filter) {
    forgetClosedRegistries();
    FilterMeters known = open.get(filter.name());
    if (known == null) {
      FilterMeters meters = new FilterMeters(tags.and("filter", filter.name()), nanoTime);
      meters.figures().opened(filter);
      registries.forEach(meters::bindTo);
      open.put(filter.name(), meters);
    } else {
      known.figures().opened(filter);
    }
  }

  private synchronized void closed(BloomFilter<?> filter) {
    forgetClosedRegistries();
    FilterMeters meters = open.get(filter.name());
    if (meters != null && meters.figures().closed(filter)) {
      open.remove(filter.name());
      meters.remove();
    }
  }

  private void forgetClosedRegistries() {
    if (registries.removeIf(MeterRegistry::isClosed)) {
      open.values().forEach(FilterMeters::forgetClosedRegistries);
    }
  }
}
