package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.Tokens;
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
 * @param growable whether its error rate leaves room for later generations
 * @param retainHashes whether the hashes of all keys are kept
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 * @param createdAt when it was reserved
 * @param set its generations
 */
public record FilterRecord(
    long id,
    FilterName name,
    FilterHead head,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    Instant createdAt,
    GenerationSet set) {

  /** Keys that all generations together are made for. */
  public long capacity() {
    return head.capacity();
  }

  /** The generations that a key may be in, oldest first. */
  public List<GenerationRecord> generations() {
    return set.read();
  }

  /**
   * A generation that holds all keys alone, of the size that the first one would have if the filter
   * were reserved with that capacity.
   *
   * @param sinceSeq number of the entry that begins it
   * @throws io.github.slotbloom.error.InvalidParameterException if none can be as large
   */
  public GenerationRecord sole(int number, long sinceSeq, long capacity) {
    double rate = growable ? Sizing.firstGenerationRate(falsePositiveRate) : falsePositiveRate;
    return new GenerationRecord(
        number,
        sinceSeq,
        Tokens.next(),
        capacity,
        rate,
        Sizing.forCapacity(layout, capacity, rate),
        name.slotTable(number),
        0);
  }

  /**
   * The error rate to expect of so many keys. Each generation but the newest is taken to hold as
   * many as it was made for.
   */
  public double expectedFalsePositiveRate(long keysAdded) {
    List<Double> rates = new ArrayList<>();
    long left = keysAdded;
    for (GenerationRecord generation : generations()) {
      boolean newest = generation.number() == newestGeneration().number();
      long keys = newest ? left : Math.min(left, generation.capacity());
      rates.add(Sizing.expectedFalsePositiveRate(generation.parameters(), keys));
      left -= keys;
    }
    return Fill.anyFalsePositiveRate(rates);
  }

  /** The generation that answers and takes new keys. */
  public GenerationRecord newestGeneration() {
    return set.newest();
  }

  /** The same with another head, and the generations that it tells of. */
  public FilterRecord with(FilterHead otherHead, GenerationSet otherSet) {
    return new FilterRecord(
        id,
        name,
        otherHead,
        keyType,
        hash,
        seed,
        layout,
        growable,
        retainHashes,
        falsePositiveRate,
        lease,
        retention,
        createdAt,
        otherSet);
  }

  /** Whether its generations are those that a head tells of. */
  public boolean knows(FilterHead later) {
    return head.generationToken() == later.generationToken();
  }

  /** The part of it that never changes. */
  FilterMake make() {
    return new FilterMake(
        name.value(),
        createdAt,
        keyType,
        hash,
        seed,
        layout.name(),
        lease.toMillis(),
        retainHashes);
  }

  /**
   * Whether this is that very filter, rather than another one that has its number since an older
   * backup was restored.
   */
  public boolean isSameFilterAs(FilterRecord other) {
    return id == other.id && make().isSameFilterAs(other.make());
  }

  /**
   * Refuses what was changed since this was read, where the hash of a key, the place of a bit or
   * the lease depends on it. The rest may change, and the filter may grow.
   *
   * @throws CorruptFilterException if something was; the message shows both sides
   */
  public void requireUnchanged(FilterRecord now) {
    make().requireUnchanged(now.make());
    List<String> changes = new ArrayList<>();
    for (GenerationRecord before : set.all()) {
      String which = " of generation " + before.number();
      // With another token history was lost in a failover or a restore, and goes on otherwise.
      now.set.all().stream()
          .filter(before::isSameAs)
          .forEach(
              after -> {
                FilterMake.compare(
                    changes, "bits" + which, before.parameters().bits(), after.parameters().bits());
                FilterMake.compare(
                    changes,
                    "hashes" + which,
                    before.parameters().hashes(),
                    after.parameters().hashes());
                FilterMake.compare(
                    changes, "slot table" + which, before.slotTable(), after.slotTable());
              });
    }
    FilterMake.requireNone(name, changes);
  }
}
