package io.github.slotbloom.store;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.error.CorruptFilterException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
 * @param retainHashes whether the hashes of all keys are kept
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
    boolean retainHashes,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    Instant createdAt,
    List<GenerationRecord> generations) {

  public FilterRecord {
    generations = List.copyOf(generations);
  }

  /** Keys that all generations together are made for. */
  public long capacity() {
    return head.capacity();
  }

  /** The generation that new keys go to. */
  public GenerationRecord newestGeneration() {
    return generations.get(generations.size() - 1);
  }

  /** The generation that the keys of a journal entry go to. */
  public GenerationRecord generationOf(long seq) {
    return generations.get(indexOf(seq));
  }

  /** The place of {@link #generationOf} among the generations. */
  public int indexOf(long seq) {
    int i = generations.size() - 1;
    while (i > 0 && seq <= generations.get(i).sinceSeq()) {
      i--;
    }
    return i;
  }

  /** The last entry whose keys go to the same generation; the greatest number if that is open. */
  public long lastOfSameGeneration(long seq) {
    int next = indexOf(seq) + 1;
    return next < generations.size() ? generations.get(next).sinceSeq() : Long.MAX_VALUE;
  }

  /** The same with another head, and the generations that it tells of. */
  public FilterRecord with(FilterHead otherHead, List<GenerationRecord> otherGenerations) {
    return new FilterRecord(
        id,
        name,
        otherHead,
        keyType,
        hash,
        seed,
        layout,
        writeMode,
        growable,
        retainHashes,
        falsePositiveRate,
        lease,
        retention,
        createdAt,
        otherGenerations);
  }

  /** Whether it knows the newest generation that a head tells of. */
  public boolean knows(FilterHead later) {
    return head.generationToken() == later.generationToken();
  }

  /**
   * Whether this is that very filter, rather than another one that has its number since an older
   * backup was restored.
   */
  public boolean isSameFilterAs(FilterRecord other) {
    return id == other.id && FilterMake.of(this).isSameFilterAs(FilterMake.of(other));
  }

  /**
   * Refuses what was changed since this was read, where the hash of a key, the place of a bit or
   * the lease depends on it. The rest may change, and the filter may grow.
   *
   * @throws CorruptFilterException if something was; the message shows both sides
   */
  public void requireUnchanged(FilterRecord now) {
    FilterMake.of(this).requireUnchanged(FilterMake.of(now));
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < Math.min(generations.size(), now.generations.size()); i++) {
      GenerationRecord before = generations.get(i);
      String which = " of generation " + before.number();
      GenerationRecord after = now.generations.get(i);
      if (before.sinceToken() != after.sinceToken()) {
        // History was lost in a failover or a restore, and goes on otherwise.
        break;
      }
      FilterMake.compare(
          changes, "bits" + which, before.parameters().bits(), after.parameters().bits());
      FilterMake.compare(
          changes, "hashes" + which, before.parameters().hashes(), after.parameters().hashes());
      FilterMake.compare(changes, "slot table" + which, before.slotTable(), after.slotTable());
    }
    FilterMake.requireNone(name, changes);
  }
}
