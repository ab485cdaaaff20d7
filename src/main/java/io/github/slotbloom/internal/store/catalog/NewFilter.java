package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The values that a new filter is created with, as in {@link FilterRecord} unless said otherwise.
 *
 * @param removablePercent share of removed keys from which on a filter with retained hashes is
 *     rebuilt; zero if keys cannot be removed
 * @param capacity number of keys, of its first bucket if keys expire
 * @param firstGenerationRate target of its first generation
 * @param parameters layout, m and k of its first generation
 * @param expiresAt when it expires; null if it never does
 */
public record NewFilter(
    FilterName name,
    String keyType,
    String hash,
    Seed seed,
    boolean growable,
    boolean retainHashes,
    int removablePercent,
    long capacity,
    double falsePositiveRate,
    double firstGenerationRate,
    BloomParameters parameters,
    OnFull onFull,
    Duration lease,
    Duration retention,
    @Nullable Window window,
    @Nullable Instant expiresAt) {

  public boolean removable() {
    return removablePercent > 0;
  }
}
