package io.github.slotbloom;

import io.github.slotbloom.core.KeyType;
import java.util.Locale;

/** The ways to use a filter that must all give the same answers. */
enum Use {
  MIRRORED(true),
  DIRECT(false);

  /** Keys; so few that the rows of all slots are written in a moment. */
  static final long CAPACITY = 2_000;

  final boolean mirrored;

  Use(boolean mirrored) {
    this.mirrored = mirrored;
  }

  String filterName() {
    return name().toLowerCase(Locale.ROOT);
  }

  FilterOptions options() {
    return mirrored ? FilterOptions.defaults() : FilterOptions.defaults().withoutMirror();
  }

  /** So few false positives that a test of at most {@link #CAPACITY} keys never meets one. */
  <K> FilterSpec<K> spec(KeyType<K> keyType) {
    return spec(keyType, CAPACITY);
  }

  /** The same for more keys. */
  <K> FilterSpec<K> spec(KeyType<K> keyType, long capacity) {
    return FilterSpec.builder(keyType).capacity(capacity).falsePositiveRate(1e-9).build();
  }
}
