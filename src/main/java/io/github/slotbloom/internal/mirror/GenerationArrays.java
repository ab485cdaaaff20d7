package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a filter at one moment, with the bits that they have: those are set in place,
 * also later. Thread-safe.
 */
public final class GenerationArrays {

  private final GenerationSet set;

  /** As {@link GenerationSet#all}. */
  private final Part[] parts;

  private final int read;

  private GenerationArrays(GenerationSet set, Part[] parts) {
    this.set = set;
    this.parts = parts;
    this.read = set.read().size();
  }

  /**
   * Arrays with no bits.
   *
   * @param filter its name, for messages
   * @throws MirrorTooLargeException if memory cannot hold them
   */
  static GenerationArrays allocate(FilterName filter, GenerationSet set) {
    return allocate(filter, set, new Part[0]);
  }

  private static GenerationArrays allocate(FilterName filter, GenerationSet set, Part[] present) {
    List<GenerationRecord> all = set.all();
    List<BloomParameters> shapes = all.stream().map(GenerationRecord::parameters).toList();
    MirrorRoom.require(filter, shapes);
    try {
      return new GenerationArrays(
          set, all.stream().map(generation -> part(generation, present)).toArray(Part[]::new));
    } catch (OutOfMemoryError e) {
      throw MirrorRoom.tooLarge(filter, shapes);
    }
  }

  private static Part part(GenerationRecord generation, Part[] present) {
    for (Part part : present) {
      if (part.generation.isSameAs(generation)) {
        return part;
      }
    }
    return new Part(generation);
  }

  /**
   * What an entry makes of the generations, with the bits that they have.
   *
   * @param filter its name, for messages
   * @throws MirrorTooLargeException if memory cannot hold a generation that it begins
   */
  GenerationArrays after(FilterName filter, JournalEntry entry) {
    GenerationSet next = set.after(entry);
    return next.equals(set) ? this : allocate(filter, next, parts);
  }

  /** Which generations these are. */
  public GenerationSet set() {
    return set;
  }

  /** The memory that the bits take. */
  public long bytes() {
    return MirrorRoom.bytes(set.all().stream().map(GenerationRecord::parameters).toList());
  }

  /** The error rate now, from the bits that are set in the generations that answer. */
  public double falsePositiveRate() {
    return Fill.anyFalsePositiveRate(
        Arrays.stream(parts, 0, read)
            .map(part -> FillCount.of(part.generation.parameters(), part.bits).falsePositiveRate())
            .toList());
  }

  /** Whether all bits of the key are set in a generation that answers. */
  boolean contains(long hash) {
    for (int i = 0; i < read; i++) {
      if (parts[i].contains(hash)) {
        return true;
      }
    }
    return false;
  }

  /**
   * As {@link #contains(long)} for the keys from index {@code from} up to but without {@code to}.
   */
  public void contains(long[] hashes, int from, int to, boolean[] answers) {
    Arrays.fill(answers, from, to, false);
    for (int i = 0; i < read; i++) {
      parts[i].probe.markMembers(hashes, from, to, parts[i].bits, answers);
    }
  }

  /** Whether the generation that is being filled lacks the key; false if none is. */
  boolean lacks(long hash) {
    return read < parts.length && !parts[read].contains(hash);
  }

  /** As {@link #lacks(long)}, of each key; null if no generation is being filled. */
  public boolean @Nullable [] lacking(long[] hashes) {
    if (read == parts.length) {
      return null;
    }
    boolean[] lacking = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      lacking[i] = lacks(hashes[i]);
    }
    return lacking;
  }

  /** Whether a generation that these bits are added to has all bits of the key. */
  public boolean contains(long hash, GenerationRecord generation, SlotReader more) {
    for (Part part : parts) {
      if (part.generation.isSameAs(generation)) {
        return part.probe.isMember(hash, slot -> part.bits.bits(slot) | more.bits(slot));
      }
    }
    return Probe.of(generation.parameters()).isMember(hash, more);
  }

  /** Sets the bits that an entry brings. */
  void take(JournalEntry entry) {
    set.forEachTaker(entry, i -> entry.forEachMask(parts[i].probe, parts[i].bits::or));
  }

  /** Sets bits of the generation in that place of {@link GenerationSet#all}. */
  SlotMaskConsumer sink(int place) {
    return parts[place].bits::or;
  }

  private static final class Part {
    final GenerationRecord generation;
    final Probe probe;
    final BitArray bits;

    Part(GenerationRecord generation) {
      this.generation = generation;
      probe = Probe.of(generation.parameters());
      bits = new BitArray(generation.parameters().slots());
    }

    boolean contains(long hash) {
      return probe.isMember(hash, bits);
    }
  }
}
