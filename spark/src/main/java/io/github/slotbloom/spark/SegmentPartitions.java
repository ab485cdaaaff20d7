package io.github.slotbloom.spark;

import org.apache.spark.Partitioner;

/** Gives neighboring segments to the same partition, and ascending ones to ascending partitions. */
final class SegmentPartitions extends Partitioner {

  private static final long serialVersionUID = 1L;

  /** 32 MiB, which a task and the driver hold at once. */
  private static final int SEGMENTS_PER_PARTITION = 512;

  private final int segments;
  private final int partitions;

  /**
   * @param segments how many there are
   * @param atLeast how many partitions there are to be, if there are as many segments
   */
  SegmentPartitions(int segments, int atLeast) {
    this.segments = segments;
    int needed = (segments + SEGMENTS_PER_PARTITION - 1) / SEGMENTS_PER_PARTITION;
    partitions = Math.min(segments, Math.max(atLeast, needed));
  }

  @Override
  public int numPartitions() {
    return partitions;
  }

  @Override
  public int getPartition(Object segment) {
    return (int) ((long) (Integer) segment * partitions / segments);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SegmentPartitions that
        && segments == that.segments
        && partitions == that.partitions;
  }

  @Override
  public int hashCode() {
    return 31 * segments + partitions;
  }
}
