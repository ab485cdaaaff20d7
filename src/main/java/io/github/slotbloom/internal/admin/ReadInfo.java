package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The figures of a filter as they were read. */
public record ReadInfo(
    long id,
    String name,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    Optional<Window> window,
    long capacity,
    long fullAt,
    double falsePositiveRate,
    OnFull onFull,
    long epoch,
    long keysAdded,
    long keysRenewed,
    long keysRemoved,
    long removableKeys,
    double estimatedKeys,
    boolean saturated,
    double currentFalsePositiveRate,
    long lastSequence,
    long foldedSequence,
    long journalRows,
    long journalTableBytes,
    Duration foldLag,
    FilterUsage usage,
    boolean expired,
    Instant createdAt,
    Optional<Instant> expiresAt,
    List<Generation> generations)
    implements FilterInfo {

  public record ReadBucket(Instant begin, Instant end, Instant expiresAt, boolean over, long keys)
      implements Bucket {}

  public record ReadGeneration(
      int number,
      State state,
      Optional<Bucket> bucket,
      long capacity,
      double falsePositiveRate,
      long bits,
      int hashes,
      String slotTable,
      long slotRows,
      long tableBytes,
      long bitsSet,
      long unfoldedKeys,
      double fill,
      double currentFalsePositiveRate)
      implements Generation {}
}
