package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

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
 * @param renewed true if it had other generations before
 * @param whenFull the treatment of new keys beyond the capacity
 * @param capacity the number of keys that all generations together are made for
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param keysAdded the number of keys answered "new" up to the moment of the export
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
    boolean renewed,
    WhenFull whenFull,
    long capacity,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    long keysAdded,
    long lastSequence,
    Instant createdAt,
    Instant exportedAt,
    List<SnapshotGeneration> generations) {

  public SnapshotHeader {
    generations = List.copyOf(generations);
  }
}
