package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.BloomParameters;
import org.jspecify.annotations.Nullable;

/**
 * One generation of an exported filter.
 *
 * @param capacity the number of keys that it was sized for
 * @param falsePositiveRate the false positive rate that it was sized for
 * @param parameters layout, m and k
 * @param bucket the bucket that it belongs to; null if keys never expire
 */
public record SnapshotGeneration(
    long capacity,
    double falsePositiveRate,
    BloomParameters parameters,
    @Nullable SnapshotBucket bucket) {

  /** Returns the same generation in a bucket. */
  SnapshotGeneration in(SnapshotBucket its) {
    return new SnapshotGeneration(capacity, falsePositiveRate, parameters, its);
  }
}
