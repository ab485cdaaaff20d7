package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a filter: those that answer, and the one that is being filled to replace them.
 *
 * <p>The set may be newer than an entry that it is asked about. This happens when a mirror was
 * loaded and then takes in the entries that are not in the slots yet. The newer state decides: keys
 * of a generation that is gone go to the generation that replaced it, or to none. Those of a bucket
 * that expired go to none.
 *
 * @param read generations that a key may be in, oldest first; at least one
 * @param target the generation that is filled beside them; null if there is none
 */
public record GenerationSet(List<GenerationRecord> read, @Nullable GenerationRecord target) {

  public GenerationSet {
    read = List.copyOf(read);
  }

  /**
   * Returns the generations that answer, followed by the one that is being filled, if there is one.
   */
  public List<GenerationRecord> all() {
    return target == null ? read : Stream.concat(read.stream(), Stream.of(target)).toList();
  }

  /**
   * Returns the number of the entry after which removed hashes are still of meaning: the oldest
   * generation that answers has no key that was removed before.
   */
  public long removedAfter() {
    return read.get(0).sinceSeq();
  }

  /** Returns the generation that answers and takes new keys. */
  public GenerationRecord newest() {
    return read.get(read.size() - 1);
  }

  /** Returns the generations that take keys of the newest bucket; all if keys never expire. */
  public List<GenerationRecord> ofNewestBucket() {
    return read.stream().filter(newest()::isInBucketOf).toList();
  }

  /** Returns true if keys expire. */
  public boolean isWindow() {
    return newest().bucket() != null;
  }

  /** Returns true if the generation that took the new keys of an entry is gone with its bucket. */
  private boolean hasExpired(long seq) {
    return isWindow() && seq <= read.get(0).sinceSeq();
  }

  /**
   * Returns the place of the generation that took the new keys of an entry, or would have taken
   * some; empty if it is gone with its bucket.
   */
  public OptionalInt placeOf(long seq) {
    return hasExpired(seq) ? OptionalInt.empty() : OptionalInt.of(indexOf(seq));
  }

  /** Returns the place of the answering generation that took the new keys of an entry. */
  private int indexOf(long seq) {
    int i = read.size() - 1;
    while (i > 0 && seq <= read.get(i).sinceSeq()) {
      i--;
    }
    return i;
  }

  /**
   * Passes on the places of the generations that take the hashes or bits of an entry.
   *
   * @param taker receives their places in {@link #all}
   */
  public void forEachTaker(JournalEntry entry, IntConsumer taker) {
    MergedBits merged = entry.merged();
    if (merged != null) {
      IntStream.range(0, read.size()).filter(i -> merged.isFor(read.get(i))).forEach(taker);
      return;
    }
    forEachTaker(entry.kind(), entry.seq(), taker);
  }

  /**
   * Passes on the places of the generations that take the hashes of an entry.
   *
   * @param taker receives their places in {@link #all}
   */
  public void forEachTaker(JournalEntry.Kind kind, long seq, IntConsumer taker) {
    if (hasExpired(seq)) {
      return;
    }
    boolean added = kind.setsBits();
    if (added) {
      taker.accept(indexOf(seq));
    }
    if (added || kind.fills()) {
      if (target != null && seq > target.sinceSeq()) {
        taker.accept(read.size());
      } else if (!added && read.get(0).wasFilledBy(seq)) {
        taker.accept(0);
      }
    }
  }

  /**
   * Returns the last entry whose new keys go to the same generations, or {@link Long#MAX_VALUE} if
   * no later generation is known.
   */
  public long lastWithSameTakers(long seq) {
    return all().stream()
        .skip(isWindow() ? 0 : 1)
        .mapToLong(GenerationRecord::sinceSeq)
        .filter(since -> since >= seq)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Returns the generations after an entry, or this set if it is newer already. */
  public GenerationSet after(JournalEntry entry) {
    GenerationRecord filled = target;
    GenerationRecord begun = entry.begun();
    if (begun != null) {
      boolean known = all().stream().anyMatch(g -> g.sinceSeq() >= entry.seq());
      if (known) {
        return this;
      }
      return switch (entry.kind()) {
        case GROW -> new GenerationSet(followed(read, begun.in(newest().bucket())), filled);
        case ROTATE -> rotated(begun);
        default -> new GenerationSet(read, begun);
      };
    }
    if (filled == null || filled.sinceSeq() >= entry.seq()) {
      return this;
    }
    return switch (entry.kind()) {
      case CUTOVER -> new GenerationSet(List.of(filled.filledUpTo(entry.seq())), null);
      case ABORT -> new GenerationSet(read, null);
      default -> this;
    };
  }

  /**
   * Returns the generations after the bucket changed. Those whose keys expired are gone.
   *
   * @param begun a new generation, or the newest with the bucket in which it goes on
   */
  private GenerationSet rotated(GenerationRecord begun) {
    Bucket bucket = Objects.requireNonNull(begun.bucket());
    Bucket before = newest().bucket();
    boolean goesOn = begun.number() == newest().number();
    List<GenerationRecord> left =
        read.stream()
            .limit(goesOn ? read.size() - 1 : read.size())
            .filter(generation -> generation.answersIn(bucket.number()))
            .toList();
    return new GenerationSet(
        followed(
            left,
            goesOn ? newest().in(before == null ? bucket : before.upTo(bucket.number())) : begun),
        null);
  }

  private static List<GenerationRecord> followed(
      List<GenerationRecord> some, GenerationRecord next) {
    return Stream.concat(some.stream(), Stream.of(next)).toList();
  }
}
