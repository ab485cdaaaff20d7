package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What an exported filter is made of, and when that was so.
 *
 * @param name its name where it was exported
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function
 * @param layout where the bits of a key lie
 * @param growable whether its error rate leaves room for later generations
 * @param retainHashes whether the hashes of all keys are kept
 * @param renewed whether its generations were others before
 * @param whenFull what is done with new keys beyond the capacity
 * @param capacity keys that all generations together are made for
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param keysAdded keys answered "new" up to the moment of the export
 * @param lastSequence number of the newest journal entry at that moment
 * @param createdAt when it was reserved
 * @param exportedAt that moment, by the clock of the machine that exported it
 * @param generations those that answer, oldest first; at least one
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
