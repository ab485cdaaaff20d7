package io.github.slotbloom.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Probe;
import io.github.slotbloom.core.SlotMaskConsumer;
import io.github.slotbloom.core.SlotReader;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.store.Cursor;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalEntry;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The bits of all generations in one epoch, and how far into the journal they reach.
 *
 * <p>Bits are set before the cursor moves, so the bits hold at least what the cursor says. The
 * cursor only rises, and only along the chain of tokens. Thread-safe.
 */
public final class Image {

  private final long epoch;

  private final FilterName filter;

  /** One for each generation, the newest last. The array is replaced when another one begins. */
  private volatile Part[] parts;

  private volatile Cursor cursor;
  // Raised before the bits of an entry that was read are set: whoever saw such a bit sees this as
  // well.
  private volatile long readTo;
  private volatile long confirmedTo;

  /**
   * @param filter its name, for messages
   */
  Image(FilterName filter, long epoch, List<GenerationRecord> generations, Cursor cursor) {
    this.filter = filter;
    this.epoch = epoch;
    this.parts = generations.stream().map(Part::new).toArray(Part[]::new);
    this.cursor = cursor;
    this.readTo = cursor.seq();
    this.confirmedTo = -1;
  }

  public long epoch() {
    return epoch;
  }

  public Cursor cursor() {
    return cursor;
  }

  /** Whether all bits of the key are set in any generation. */
  public boolean contains(long hash) {
    for (Part part : parts) {
      if (part.probe.isMember(hash, part.bits)) {
        return true;
      }
    }
    return false;
  }

  /**
   * As {@link #contains(long)} for the keys from index {@code from} up to but without {@code to}:
   * faster than one by one, since their reads of memory overlap.
   */
  public void contains(long[] hashes, int from, int to, boolean[] answers) {
    Arrays.fill(answers, from, to, false);
    for (Part part : parts) {
      part.probe.markMembers(hashes, from, to, part.bits, answers);
    }
  }

  /** Whether a generation that these bits are added to has all bits of the key. */
  public boolean contains(long hash, GenerationRecord generation, SlotReader more) {
    for (Part part : parts) {
      if (part.generation.equals(generation)) {
        return part.probe.isMember(hash, slot -> part.bits.bits(slot) | more.bits(slot));
      }
    }
    return Probe.of(generation.parameters()).isMember(hash, more);
  }

  /** The generation that the keys of an entry go to, if no later one begins before it. */
  public GenerationRecord generationOf(long seq) {
    return partOf(seq).generation;
  }

  /** The generation that new keys go to. */
  public GenerationRecord newestGeneration() {
    Part[] now = parts;
    return now[now.length - 1].generation;
  }

  /** Whether everything that was read from the database so far is known to have been durable. */
  public boolean confirmed() {
    return confirmedTo >= readTo;
  }

  /** Says that a durable commit followed the read of the entries up to {@code seq}. */
  public synchronized void confirm(long seq) {
    confirmedTo = Math.max(confirmedTo, seq);
  }

  /**
   * Sets the bits of entries, makes room for the generations that they begin, and moves the cursor.
   * Entries that are in already are passed over.
   *
   * @return false if the entries do not continue what is here: history was lost or rewritten, or
   *     there is a gap
   * @throws MirrorTooLargeException if memory cannot hold a generation that an entry begins
   */
  public synchronized boolean apply(List<JournalEntry> entries) {
    Cursor reached = cursor;
    for (JournalEntry entry : entries) {
      if (entry.seq() <= reached.seq()) {
        continue;
      }
      if (entry.seq() != reached.seq() + 1 || entry.previousToken() != reached.token()) {
        return false;
      }
      readTo = Math.max(readTo, entry.seq());
      take(entry);
      reached = entry.cursor();
      cursor = reached;
    }
    return true;
  }

  private Part partOf(long seq) {
    Part[] now = parts;
    Part target = now[0];
    for (Part part : now) {
      if (part.generation.sinceSeq() < seq) {
        target = part;
      }
    }
    return target;
  }

  private void take(JournalEntry entry) {
    Part target = partOf(entry.seq());
    target.probe.forEachMask(entry.hashes(), target.bits::or);
    GenerationRecord begun = entry.begun();
    if (begun != null && newestGeneration().sinceSeq() < begun.sinceSeq()) {
      begin(begun);
    }
  }

  /** Before the bits of its first key are set, and so before the cursor says that they are. */
  private void begin(GenerationRecord generation) {
    List<BloomParameters> shapes =
        Stream.concat(Arrays.stream(parts).map(part -> part.generation), Stream.of(generation))
            .map(GenerationRecord::parameters)
            .toList();
    MirrorRoom.require(filter, shapes);
    try {
      Part[] more = Arrays.copyOf(parts, parts.length + 1);
      more[parts.length] = new Part(generation);
      parts = more;
    } catch (OutOfMemoryError e) {
      throw MirrorRoom.tooLarge(filter, shapes);
    }
  }

  /** A slot of the generation with that index, counted from 0. */
  long bits(int generation, long slot) {
    return parts[generation].bits.bits(slot);
  }

  /** Sets bits of the generation with that index, counted from 0. */
  SlotMaskConsumer sink(int generation) {
    return parts[generation].bits::or;
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
  }
}
