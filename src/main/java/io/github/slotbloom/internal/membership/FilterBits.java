package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.mirror.GenerationArrays;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotFields;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects what the tables hold of some keys, generation by generation. Not thread-safe. */
final class FilterBits {

  /** Each is a subquery, which costs the server more than an element of a list does. */
  private static final int MOST_SLOTS_AT_ONCE = 64;

  private final Manifest manifest;
  private final long[] hashes;

  /** The bits by the place of their generation in {@link Manifest#all}. */
  private final SortedMap<Integer, GenerationBits> generations = new TreeMap<>();

  /** Null if keys cannot be removed. */
  private final @Nullable RemovedKeys removed;

  /** True if adding a key again extends its lifetime. */
  private final boolean renews;

  /** True if only the answers matter, not how the keys without bits came to lack them. */
  private final boolean asks;

  private FilterBits(FilterRecord filter, long[] hashes, int places, boolean asks) {
    this.manifest = filter.manifest();
    this.asks = asks;
    this.renews = filter.renews();
    this.hashes = hashes;
    this.removed = filter.removable() ? new RemovedKeys(filter, hashes) : null;
    for (int place = 0; place < places; place++) {
      generations.put(place, new GenerationBits(manifest.all().get(place), hashes));
    }
  }

  /** Creates bits for adds: of all generations, including the one that is being filled. */
  static FilterBits ofAll(FilterRecord filter, long[] hashes) {
    return new FilterBits(filter, hashes, filter.manifest().all().size(), false);
  }

  /**
   * Creates bits for lookups: of the active generations.
   *
   * @param bucket the bucket that the database clock is in, or an earlier one
   */
  static FilterBits ofRead(FilterRecord filter, long[] hashes, long bucket) {
    FilterBits bits = new FilterBits(filter, hashes, filter.manifest().read().size(), true);
    bits.generations.values().removeIf(each -> !each.generation().answersIn(bucket));
    return bits;
  }

  /** Creates bits of no generation, for the lookup which keys are removed. */
  static FilterBits ofNone(FilterRecord filter, long[] hashes) {
    return new FilterBits(filter, hashes, 0, false);
  }

  /** Takes in an entry that is not in the slots yet. */
  void addJournaled(JournalEntry entry) {
    if (removed != null) {
      removed.addJournaled(entry);
    }
    entry.forEachTaker(
        manifest,
        place -> {
          GenerationBits generation = generations.get(place);
          if (generation != null) {
            generation.addJournaled(entry);
          }
        });
  }

  /**
   * Takes in all that the tables hold, read in one statement.
   *
   * @return what was read beside the slots; empty if one statement cannot tell, and nothing was
   *     taken in
   */
  Optional<Tail> addAtOnce(Tx tx, FilterRecord filter) {
    List<SlotFields> slots = generations.values().stream().map(GenerationBits::slotFields).toList();
    Optional<Tail> tail = TailReader.unfolded(tx, filter, slots);
    tail.ifPresent(read -> read.entries().forEach(this::addJournaled));
    return tail;
  }

  /** Returns true if one statement may tell all, so that {@link #addAtOnce} is worth it. */
  boolean fitOneStatement() {
    return removed == null
        && generations.values().stream().mapToInt(GenerationBits::slots).sum()
            <= MOST_SLOTS_AT_ONCE;
  }

  void addSlots(Tx tx) {
    generations.values().forEach(generation -> generation.addSlots(tx));
    if (removed != null) {
      removed.addRows(tx, asks ? havingBits() : hashes);
    }
  }

  /** A lookup about many keys is mostly about keys that have no bits, removed or not. */
  private long[] havingBits() {
    boolean[] haveBits = haveBits(GenerationBits::contains);
    return Hashes.where(hashes, i -> haveBits[i]);
  }

  /**
   * Does the same as {@link #addSlots}, with the slots as they are now. Needs the lock of the fold
   * row.
   */
  void addLockedSlots(Tx tx) {
    generations.values().forEach(generation -> generation.addLockedSlots(tx));
    if (removed != null) {
      removed.addLockedRows(tx);
    }
  }

  /**
   * Returns what all generations hold.
   *
   * @param unrecorded as {@link Membership#unrecorded}
   */
  Membership membership(boolean @Nullable [] unrecorded) {
    return membership(GenerationBits::contains, hash -> 0, unrecorded);
  }

  /** Returns what all generations hold, by these bits and those in memory together. */
  Membership membershipWith(GenerationArrays memory, boolean @Nullable [] unrecorded) {
    return membership(
        (bits, hash) -> memory.contains(hash, bits.generation(), bits),
        memory::removedBy,
        unrecorded);
  }

  private Membership membership(
      HashTest test, LongUnaryOperator removedBefore, boolean @Nullable [] unrecorded) {
    boolean[] haveBits = haveBits(test);
    return Membership.of(
        manifest,
        haveBits,
        removedBy(removedBefore),
        lacking(test),
        renews ? older(test, haveBits) : null,
        unrecorded);
  }

  private long @Nullable [] removedBy(LongUnaryOperator removedBefore) {
    if (removed == null) {
      return null;
    }
    long[] by = new long[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      long seq = removed.removedBy(hashes[i], removedBefore.applyAsLong(hashes[i]));
      by[i] = seq > manifest.removedAfter() ? seq : 0;
    }
    return by;
  }

  private boolean[] haveBits(HashTest test) {
    boolean[] present = new boolean[hashes.length];
    for (GenerationBits generation : generations.headMap(manifest.read().size()).values()) {
      for (int i = 0; i < hashes.length; i++) {
        present[i] = present[i] || test.contains(generation, hashes[i]);
      }
    }
    return present;
  }

  private boolean[] older(HashTest test, boolean[] haveBits) {
    boolean[] older = haveBits.clone();
    for (GenerationBits generation : generations.values()) {
      if (generation.generation().isInBucketOf(manifest.newest())) {
        for (int i = 0; i < hashes.length; i++) {
          older[i] = older[i] && !test.contains(generation, hashes[i]);
        }
      }
    }
    return older;
  }

  private boolean @Nullable [] lacking(HashTest test) {
    if (!generations.containsKey(manifest.read().size())) {
      return null;
    }
    List<GenerationBits> staying =
        generations.values().stream()
            .filter(each -> manifest.outlivesReplacement(each.generation()))
            .toList();
    return Hashes.test(
        hashes, hash -> staying.stream().noneMatch(each -> test.contains(each, hash)));
  }

  /** Tests if a generation holds a key. */
  private interface HashTest {
    boolean contains(GenerationBits generation, long hash);
  }
}
