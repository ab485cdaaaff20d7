package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a filter: those that answer, and the one that is being filled to replace them.
 *
 * <p>It may be of a later moment than an entry that it is asked about, as when a mirror was loaded
 * and the entries that are not in the slots yet are brought in. What became of the filter since is
 * what counts then: keys of a generation that is gone go to the one that has replaced it, or
 * nowhere.
 *
 * @param read those that a key may be in, oldest first; at least one
 * @param target the one that is filled beside them; null if none is
 */
public record GenerationSet(List<GenerationRecord> read, @Nullable GenerationRecord target) {

  public GenerationSet {
    read = List.copyOf(read);
  }

  /** Those that answer, and behind them the one that is filled, if there is one. */
  public List<GenerationRecord> all() {
    return target == null ? read : Stream.concat(read.stream(), Stream.of(target)).toList();
  }

  /** The one that answers and takes new keys. */
  public GenerationRecord newest() {
    return read.get(read.size() - 1);
  }

  /** The place of the generation that answers and took the new keys of an entry. */
  private int indexOf(long seq) {
    int i = read.size() - 1;
    while (i > 0 && seq <= read.get(i).sinceSeq()) {
      i--;
    }
    return i;
  }

  /**
   * Names the generations that take the hashes or bits of an entry.
   *
   * @param taker gets their places in {@link #all}
   */
  public void forEachTaker(JournalEntry entry, IntConsumer taker) {
    MergedBits merged = entry.merged();
    if (merged != null) {
      IntStream.range(0, read.size()).filter(i -> merged.isFor(read.get(i))).forEach(taker);
      return;
    }
    boolean added = entry.kind() == JournalEntry.Kind.ADD;
    if (added) {
      taker.accept(indexOf(entry.seq()));
    }
    if (added || entry.kind() == JournalEntry.Kind.FILL) {
      if (target != null && entry.seq() > target.sinceSeq()) {
        taker.accept(read.size());
      } else if (!added && read.get(0).wasFilledBy(entry.seq())) {
        taker.accept(0);
      }
    }
  }

  /**
   * The last entry whose new keys go to the same generations; the greatest number if it is open.
   */
  public long lastWithSameTakers(long seq) {
    return all().stream()
        .skip(1)
        .mapToLong(GenerationRecord::sinceSeq)
        .filter(since -> since >= seq)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** What an entry makes of these; the same if they are of a later moment already. */
  public GenerationSet after(JournalEntry entry) {
    GenerationRecord filled = target;
    GenerationRecord begun = entry.begun();
    if (begun != null) {
      boolean known = all().stream().anyMatch(g -> g.sinceSeq() >= begun.sinceSeq());
      if (known) {
        return this;
      }
      return entry.kind() == JournalEntry.Kind.GROW
          ? new GenerationSet(Stream.concat(read.stream(), Stream.of(begun)).toList(), filled)
          : new GenerationSet(read, begun);
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
}
