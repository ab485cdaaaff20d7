package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.time.Duration;
import java.util.Locale;

/** The ways to use a filter. All must give the same answers. */
public enum Use {
  MIRRORED(true),
  DIRECT(false);

  /** The capacity in keys. It is so low that all slot rows are written quickly. */
  public static final long CAPACITY = 2_000;

  public final boolean mirrored;

  Use(boolean mirrored) {
    this.mirrored = mirrored;
  }

  public String filterName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public FilterOptions options() {
    return mirrored ? FilterOptions.defaults() : FilterOptions.defaults().withoutMirror();
  }

  /**
   * Returns a spec with so few false positives that a test of at most {@link #CAPACITY} keys never
   * meets one.
   */
  public <K> FilterSpec<K> spec(KeyType<K> keyType) {
    return spec(keyType, CAPACITY);
  }

  /** Returns the same spec for more keys. */
  public <K> FilterSpec<K> spec(KeyType<K> keyType, long capacity) {
    return FilterSpec.builder(keyType).capacity(capacity).falsePositiveRate(1e-9).build();
  }

  /** Reserves a filter of texts with that spec, and opens it. */
  public BloomFilter<String> reserve(SlotBloom bloom, String name) {
    return bloom.reserve(name, spec(KeyType.text()), options());
  }

  /** Opens a filter of texts. */
  public BloomFilter<String> open(SlotBloom bloom, String name) {
    return bloom.open(name, KeyType.text(), options());
  }

  /** Opens a filter of texts whose calls take no longer than this. */
  public BloomFilter<String> open(SlotBloom bloom, String name, Duration timeout) {
    return bloom.open(name, KeyType.text(), options().timeout(timeout));
  }

  /** Opens a filter of texts, with a mirror whose answers may be this old. */
  public static BloomFilter<String> openBounded(SlotBloom bloom, String name, Duration bound) {
    return bloom.open(
        name, KeyType.text(), FilterOptions.defaults().freshness(Freshness.bounded(bound)));
  }

  /** Reserves a filter for each use, adds keys one by one, and folds them. */
  public static void reserveEach(SlotBloom bloom, String... keys) {
    for (Use use : values()) {
      try (BloomFilter<String> filter = use.reserve(bloom, use.filterName())) {
        for (String key : keys) {
          filter.add(key);
        }
        bloom.admin(filter.name()).fold();
      }
    }
  }
}
