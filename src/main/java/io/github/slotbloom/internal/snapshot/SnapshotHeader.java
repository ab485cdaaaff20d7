package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Describes an exported filter at the moment of the export.
 *
 * @param name its name on the server of the export
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function
 * @param layout how the bits of a key are placed
 * @param growable true if its error rate leaves room for later generations
 * @param retainHashes true if the hashes of all keys are kept
 * @param removablePercent share of removed keys from which on a filter with retained hashes is
 *     built anew; zero if keys cannot be removed
 * @param window how long keys are found; null if they never expire
 * @param renewed true if it had other generations before
 * @param whenFull the treatment of new keys beyond the capacity
 * @param capacity the number of keys that all generations together are made for
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param keysAdded the number of keys answered "new" up to the moment of the export
 * @param keysRemoved the number of removed keys at that moment; zero if keys cannot be removed
 * @param keysRenewed the number of renewed keys at that moment; zero if keys never expire
 * @param lastSequence number of the newest journal entry at that moment
 * @param createdAt when it was reserved
 * @param exportedAt the moment of the export, by the clock of the machine that exported it
 * @param generations the generations that answer, oldest first; at least one
 */
public record SnapshotHeader(
    String name,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    int removablePercent,
    @Nullable Window window,
    boolean renewed,
    WhenFull whenFull,
    long capacity,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    long keysAdded,
    long keysRemoved,
    long keysRenewed,
    long lastSequence,
    Instant createdAt,
    Instant exportedAt,
    List<SnapshotGeneration> generations) {

  public SnapshotHeader {
    generations = List.copyOf(generations);
  }

  /**
   * Returns the number of keys that count as added in a filter with so many removed keys. Of a
   * filter that retains hashes, removed keys are not counted.
   *
   * @param removed may differ from the count, since keys are removed while it is exported
   */
  public long keysAdded(long removed) {
    return retainHashes ? Math.max(0, keysAdded + keysRemoved - removed) : keysAdded;
  }
}
