package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a filter at one moment, with their bits. The set of generations never changes,
 * but bits can still be set later. Thread-safe.
 */
public final class GenerationArrays {

  private final Manifest manifest;

  /** In the order of {@link Manifest#all}. */
  private final Part[] parts;

  private final int read;

  /** The place of the first part whose keys have not expired by the clock; it only rises. */
  private volatile int first;

  /** Null if keys cannot be removed. */
  private final @Nullable RemovedHashes removed;

  private GenerationArrays(Manifest manifest, Part[] parts, @Nullable RemovedHashes removed) {
    this.manifest = manifest;
    this.removed = removed;
    this.parts = parts;
    this.read = manifest.read().size();
  }

  /**
   * Allocates arrays without set bits.
   *
   * @throws MirrorTooLargeException if memory cannot hold the arrays
   */
  static GenerationArrays allocate(FilterName filter, boolean removable, Manifest manifest) {
    return allocate(filter, manifest, new Part[0], removable ? new RemovedHashes() : null);
  }

  private static GenerationArrays allocate(
      FilterName filter, Manifest manifest, Part[] present, @Nullable RemovedHashes removed) {
    List<GenerationRecord> all = manifest.all();
    List<BloomParameters> shapes = all.stream().map(GenerationRecord::parameters).toList();
    MirrorRoom.require(filter, shapes);
    try {
      return new GenerationArrays(
          manifest,
          all.stream().map(generation -> part(generation, present)).toArray(Part[]::new),
          removed);
    } catch (OutOfMemoryError e) {
      throw MirrorRoom.tooLarge(filter, shapes);
    }
  }

  private static Part part(GenerationRecord generation, Part[] present) {
    for (Part part : present) {
      if (part.generation.isSameAs(generation)) {
        return part.as(generation);
      }
    }
    return new Part(generation);
  }

  /**
   * Returns the generations after an entry, with the bits that they have now.
   *
   * @throws MirrorTooLargeException if memory cannot hold a generation that the entry begins
   */
  GenerationArrays after(FilterName filter, JournalEntry entry) {
    Manifest next = manifest.orLater(entry.manifest());
    if (next.equals(manifest)) {
      return this;
    }
    // Whoever still reads the generations of before needs the hashes that were removed from them.
    RemovedHashes left = removed;
    if (left != null && next.removedAfter() != manifest.removedAfter()) {
      left = left.after(next.removedAfter());
    }
    return allocate(filter, next, parts, left);
  }

  /** Returns the manifest of the generations that these arrays hold. */
  public Manifest manifest() {
    return manifest;
  }

  /** Returns the memory that the bits and the removed hashes take, in bytes. */
  public long bytes() {
    return MirrorRoom.bytes(manifest.all().stream().map(GenerationRecord::parameters).toList())
        + (removed == null ? 0 : removed.bytes());
  }

  /**
   * Returns the current false positive rate, computed from the set bits of the active generations.
   */
  public double falsePositiveRate() {
    return Fill.anyFalsePositiveRate(
        Arrays.stream(parts, first, read)
            .map(part -> FillCount.of(part.generation.parameters(), part.bits).falsePositiveRate())
            .toList());
  }

  /**
   * Takes in that the database clock is in a bucket, or in a later one. Keys that have expired in
   * it are found no more.
   */
  void expire(long bucket) {
    int i = first;
    while (i < read && !parts[i].generation.answersIn(bucket)) {
      i++;
    }
    first = i;
  }

  /** Returns the bucket that takes new keys. */
  public long newestBucket() {
    Bucket bucket = manifest.newest().bucket();
    return bucket == null ? FilterHead.NO_BUCKET : bucket.number();
  }

  /** Returns true if the newest bucket lacks the key. */
  boolean isOlder(long hash) {
    for (int i = read - 1; i >= 0 && parts[i].generation.isInBucketOf(manifest.newest()); i--) {
      if (parts[i].contains(hash)) {
        return false;
      }
    }
    return true;
  }

  /** Returns which of the keys that have bits the newest bucket lacks. */
  public boolean[] older(long[] hashes, boolean[] haveBits) {
    boolean[] older = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      older[i] = haveBits[i] && isOlder(hashes[i]);
    }
    return older;
  }

  /** Returns true if an active generation has all bits of the key, and it is not removed. */
  boolean contains(long hash) {
    for (int i = first; i < read; i++) {
      if (parts[i].contains(hash)) {
        return removed == null || !removed.contains(hash);
      }
    }
    return false;
  }

  /** Returns the number of the entry that removed a hash; zero if it is not removed. */
  public long removedBy(long hash) {
    return removed == null ? 0 : removed.seqOf(hash);
  }

  /**
   * Does the same as {@link #removedBy(long)} for each key. Returns null if keys cannot be removed.
   */
  public long @Nullable [] removedBy(long[] hashes) {
    return removed == null ? null : Arrays.stream(hashes).map(removed::seqOf).toArray();
  }

  /**
   * Takes in a removed hash that was read from the database.
   *
   * @param seq number of the entry that removed it
   */
  void addRemoved(long hash, long seq) {
    if (removed != null && seq > manifest.removedAfter()) {
      removed.put(hash, seq);
    }
  }

  /**
   * Does the same as {@link #contains(long)} for the keys from index {@code from} (inclusive) to
   * {@code to} (exclusive).
   */
  public void contains(long[] hashes, int from, int to, boolean[] answers) {
    haveBits(first, hashes, from, to, answers);
    if (removed != null && removed.size() > 0) {
      for (int i = from; i < to; i++) {
        answers[i] = answers[i] && !removed.contains(hashes[i]);
      }
    }
  }

  /**
   * Does the same as {@link #contains(long[], int, int, boolean[])}, but takes removed keys for
   * members, since they have their bits, and so those that expired since the newest bucket began.
   */
  public void haveBits(long[] hashes, int from, int to, boolean[] answers) {
    haveBits(0, hashes, from, to, answers);
  }

  private void haveBits(int begin, long[] hashes, int from, int to, boolean[] answers) {
    Arrays.fill(answers, from, to, false);
    for (int i = begin; i < read; i++) {
      parts[i].probe.markMembers(hashes, from, to, parts[i].bits, answers);
    }
  }

  /**
   * Returns true if a generation is being filled, and neither it nor one that stays beside it has
   * the key.
   */
  boolean lacks(long hash) {
    if (read == parts.length || parts[read].contains(hash)) {
      return false;
    }
    for (int i = read - 1; i >= 0 && manifest.outlivesReplacement(parts[i].generation); i--) {
      if (parts[i].contains(hash)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Does the same as {@link #lacks(long)} for each key. Returns null if no generation is being
   * filled.
   */
  public boolean @Nullable [] lacking(long[] hashes) {
    return read == parts.length ? null : Hashes.test(hashes, this::lacks);
  }

  /**
   * Returns true if the given generation, with the bits of {@code more} added, has all bits of the
   * key.
   */
  public boolean contains(long hash, GenerationRecord generation, SlotReader more) {
    for (Part part : parts) {
      if (part.generation.isSameAs(generation)) {
        return part.probe.isMember(hash, slot -> part.bits.bits(slot) | more.bits(slot));
      }
    }
    return Probe.of(generation.parameters()).isMember(hash, more);
  }

  /**
   * Sets the bits that an entry brings, and takes in what it removes. Called by one thread at a
   * time.
   */
  void take(JournalEntry entry) {
    entry.forEachTaker(manifest, i -> entry.forEachMask(parts[i].probe, parts[i].bits::or));
    if (removed != null && entry.seq() > manifest.removedAfter()) {
      takeRemovals(removed, entry);
    }
  }

  private static void takeRemovals(RemovedHashes removed, JournalEntry entry) {
    if (entry.kind() == JournalEntry.Kind.REMOVE) {
      for (long hash : entry.hashes()) {
        removed.put(hash, entry.seq());
      }
    } else if (entry.kind().bringsBack()) {
      // Its bits are set by now, so nobody finds it missing from then on.
      for (long hash : entry.hashes()) {
        removed.remove(hash, entry.seq());
      }
    }
  }

  /**
   * Returns a consumer that sets bits of the generation at that place of {@link Manifest#all}.
   * Several threads may use it if each slot comes to one of them only, before entries are applied.
   */
  SlotMaskConsumer sink(int place) {
    return parts[place].bits::or;
  }

  private static final class Part {
    final GenerationRecord generation;
    final Probe probe;
    final BitArray bits;

    Part(GenerationRecord generation) {
      this(
          generation,
          Probe.of(generation.parameters()),
          new BitArray(generation.parameters().slots()));
    }

    private Part(GenerationRecord generation, Probe probe, BitArray bits) {
      this.generation = generation;
      this.probe = probe;
      this.bits = bits;
    }

    /** Returns the same bits in a later state of the generation, which may be in a later bucket. */
    Part as(GenerationRecord later) {
      return later.equals(generation) ? this : new Part(later, probe, bits);
    }

    boolean contains(long hash) {
      return probe.isMember(hash, bits);
    }
  }
}
