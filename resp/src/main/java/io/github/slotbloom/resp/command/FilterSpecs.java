package io.github.slotbloom.resp.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.resp.filter.Family;
import java.util.function.Function;

/** Translates the parameters of Redis commands into filter specifications. */
final class FilterSpecs {

  /** The false positive rate of filters for which no other one is given, as in Redis. */
  static final double DEFAULT_RATE = 0.01;

  static final long MOST_CAPACITY = 1L << 30;

  /** Redis takes no larger rate either, and says nothing. */
  private static final double LARGEST_RATE = 0.25;

  private FilterSpecs() {}

  static FilterSpec<byte[]> of(Family family, long capacity, double rate, boolean scales) {
    return family == Family.BLOOM ? bloom(capacity, rate, scales) : cuckoo(capacity);
  }

  /**
   * Returns a filter for {@code BF.*}. Its keys are those of Java's {@code KeyType.text()}.
   *
   * @param scales true if it grows; else it refuses keys when it is full
   */
  static FilterSpec<byte[]> bloom(long capacity, double rate, boolean scales) {
    FilterSpec.Builder<byte[]> spec =
        FilterSpec.builder(KeyType.textBytes())
            .capacity(capacity)
            .falsePositiveRate(Math.min(rate, LARGEST_RATE));
    if (!scales) {
      spec.fixed().onFull(OnFull.REFUSE);
    }
    return build(spec, FilterSpec.Builder::build);
  }

  /** Returns a filter for {@code CF.*}: keys can be removed, and it is rebuilt automatically. */
  static FilterSpec<byte[]> cuckoo(long capacity) {
    return build(
        FilterSpec.builder(KeyType.textBytes())
            .capacity(capacity)
            .falsePositiveRate(DEFAULT_RATE)
            .retainHashes(),
        FilterSpec.Builder::buildRemovable);
  }

  private static FilterSpec<byte[]> build(
      FilterSpec.Builder<byte[]> spec,
      Function<FilterSpec.Builder<byte[]>, FilterSpec<byte[]>> build) {
    try {
      return build.apply(spec);
    } catch (InvalidParameterException e) {
      // Small rates need the other layout.
      return build.apply(spec.layout(Layout.STANDARD));
    }
  }
}
