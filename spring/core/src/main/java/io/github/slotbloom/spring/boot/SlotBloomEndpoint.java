package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.report.ProcessStatistics;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The endpoint {@code slotbloom} of the Actuator: the figures of the filters in the schema, without
 * keys and seeds. It only reads. The figures of a filter take longer the larger it is, since its
 * bits are counted.
 */
@Endpoint(id = "slotbloom")
public final class SlotBloomEndpoint {

  private final SlotBloom bloom;
  private final ObjectProvider<BloomFilter<?>> open;

  SlotBloomEndpoint(SlotBloom bloom, ObjectProvider<BloomFilter<?>> open) {
    this.bloom = bloom;
    this.open = open;
  }

  /** {@return the figures of all filters in the schema, by name} */
  @ReadOperation
  public Map<String, Figures> filters() {
    Map<String, Figures> all = new TreeMap<>();
    for (String name : bloom.names()) {
      Figures figures = filter(name);
      if (figures != null) {
        all.put(name, figures);
      }
    }
    return all;
  }

  /**
   * Returns the figures of one filter.
   *
   * @param filter the name of the filter
   * @return its figures, or null if there is no such filter
   */
  @ReadOperation
  public @Nullable Figures filter(@Selector String filter) {
    FilterInfo info;
    try {
      info = bloom.info(filter);
    } catch (FilterNotFoundException | InvalidParameterException e) {
      return null;
    }
    ProcessStatistics.MirrorState mirror =
        open.stream()
            .filter(bean -> bean.name().equals(filter))
            .flatMap(bean -> bean.statistics().mirror().stream())
            .findFirst()
            .orElse(null);
    return Figures.of(info, mirror);
  }

  /**
   * The figures of a filter.
   *
   * @param keyType the type of its keys
   * @param keys the keys that it holds
   * @param keysRemoved removed keys whose bits are still set
   * @param capacity its capacity in keys
   * @param used the part of the capacity that is used; more than 1 if it is overfull
   * @param onFull the treatment of new keys beyond the capacity
   * @param currentFalsePositiveRate the current false positive rate
   * @param falsePositiveRate the false positive rate at capacity
   * @param window the length of a window; null if keys never expire
   * @param expiresAt when the filter expires; null if it never does
   * @param backlog journal entries whose bits are not in the slot tables yet
   * @param generations its generations, oldest first
   * @param mirror its mirror in this process; null if there is none
   */
  public record Figures(
      String keyType,
      long keys,
      long keysRemoved,
      long capacity,
      double used,
      String onFull,
      double currentFalsePositiveRate,
      double falsePositiveRate,
      @Nullable String window,
      @Nullable String expiresAt,
      long backlog,
      List<Generation> generations,
      @Nullable Mirror mirror) {

    private static Figures of(FilterInfo info, ProcessStatistics.@Nullable MirrorState mirror) {
      return new Figures(
          info.keyType(),
          info.keysAdded(),
          info.keysRemoved(),
          info.capacity(),
          info.used(),
          info.onFull().name(),
          info.currentFalsePositiveRate(),
          info.falsePositiveRate(),
          info.window().map(window -> window.length().toString()).orElse(null),
          info.expiresAt().map(Instant::toString).orElse(null),
          info.backlog(),
          info.generations().stream().map(Generation::of).toList(),
          mirror == null ? null : Mirror.of(mirror));
    }
  }

  /**
   * The figures of a generation.
   *
   * @param number counts from 1
   * @param state ACTIVE, FILLING or EXPIRED
   * @param capacity the keys that it was sized for
   * @param fill the part of its bits that is set
   * @param bytes the size of its bits
   * @param begins when its bucket of a window begins; null if keys never expire
   * @param expires when its keys expire; null if they never do
   */
  public record Generation(
      int number,
      String state,
      long capacity,
      double fill,
      long bytes,
      @Nullable String begins,
      @Nullable String expires) {

    private static Generation of(FilterInfo.Generation generation) {
      return new Generation(
          generation.number(),
          generation.state().name(),
          generation.capacity(),
          generation.fill(),
          generation.slots() * Long.BYTES,
          generation.bucket().map(bucket -> bucket.begin().toString()).orElse(null),
          generation.bucket().map(bucket -> bucket.expiresAt().toString()).orElse(null));
    }
  }

  /**
   * The mirror of a filter in this process.
   *
   * @param bytes the memory that its bits take
   * @param ageMillis an upper bound of the time since it held everything
   * @param entriesBehind journal entries that it lacked at the last read
   */
  public record Mirror(long bytes, long ageMillis, long entriesBehind) {

    private static Mirror of(ProcessStatistics.MirrorState mirror) {
      return new Mirror(mirror.bytes(), mirror.age().toMillis(), mirror.entriesBehind());
    }
  }
}
