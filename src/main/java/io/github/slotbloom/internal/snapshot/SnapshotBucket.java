package io.github.slotbloom.internal.snapshot;

/**
 * The bucket of one generation of an exported window.
 *
 * @param number the last bucket in which it took keys
 * @param keysAdded keys that were added in that bucket, if it was the last generation of a bucket
 *     that was over; zero otherwise
 * @param keysRenewed keys of older buckets that were added again, likewise
 */
public record SnapshotBucket(long number, long keysAdded, long keysRenewed) {}
