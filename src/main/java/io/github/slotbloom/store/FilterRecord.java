package io.github.slotbloom.store;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A filter as the catalog has it.
 *
 * @param id never used twice
 * @param name its name
 * @param head the part that changes
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function
 * @param layout where the bits of a key lie
 * @param writeMode when bits reach the slots
 * @param growable whether its error rate leaves room for later generations
 * @param capacity keys
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param createdAt when it was reserved
 * @param generations oldest first
 */
public record FilterRecord(
    long id,
    FilterName name,
    FilterHead head,
    String keyType,
    String hash,
    long seed,
    Layout layout,
    WriteMode writeMode,
    boolean growable,
    long capacity,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    Instant createdAt,
    List<GenerationRecord> generations) {

  public FilterRecord {
    generations = List.copyOf(generations);
  }

  /** The generation that new keys go to. */
  public GenerationRecord newestGeneration() {
    return generations.get(generations.size() - 1);
  }
}
