package io.github.slotbloom.testing;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.KeyType;
import java.util.Locale;

/** The ways to use a filter that must all give the same answers. */
public enum Use {
  MIRRORED(true),
  DIRECT(false);

  /** Keys; so few that the rows of all slots are written in a moment. */
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

  /** So few false positives that a test of at most {@link #CAPACITY} keys never meets one. */
  public <K> FilterSpec<K> spec(KeyType<K> keyType) {
    return spec(keyType, CAPACITY);
  }

  /** The same for more keys. */
  public <K> FilterSpec<K> spec(KeyType<K> keyType, long capacity) {
    return FilterSpec.builder(keyType).capacity(capacity).falsePositiveRate(1e-9).build();
  }
}
