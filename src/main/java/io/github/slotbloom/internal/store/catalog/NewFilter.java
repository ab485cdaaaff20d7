package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The values that a new filter is created with.
 *
 * @param name its name
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function
 * @param growable true if its false positive rate leaves room for later generations
 * @param retainHashes true if the hashes of all keys are kept
 * @param removablePercent share of removed keys from which on a filter with retained hashes is
 *     built anew; zero if keys cannot be removed
 * @param capacity number of keys, of its first bucket if keys expire
 * @param falsePositiveRate target of the whole filter
 * @param firstGenerationRate target of its first generation
 * @param parameters layout, m and k of its first generation
 * @param whenFull how new keys beyond the capacity are handled
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param window how long keys are found; null if they never expire
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
    WhenFull whenFull,
    Duration lease,
    Duration retention,
    @Nullable Window window,
    @Nullable Instant expiresAt) {

  boolean removable() {
    return removablePercent > 0;
  }
}
