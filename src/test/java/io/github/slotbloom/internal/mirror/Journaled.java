package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.List;
import java.util.stream.LongStream;

/** A journal in which the token of each entry is ten times its number, and images of it. */
final class Journaled {

  static final GenerationRecord FIRST_GENERATION = generation(1, 0);

  /** A filter as it was made. */
  static final Manifest MADE = Manifest.first(FIRST_GENERATION);

  private Journaled() {}

  static GenerationRecord generation(int number, long sinceSeq) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceSeq * 10,
        100,
        0.01,
        new BloomParameters(Layout.BLOCKED, 4096L * number, 6),
        "bloom_bits_a_v" + number,
        0,
        null,
        false,
        null);
  }

  static JournalEntry entry(long seq, Kind kind, long... hashes) {
    return new JournalEntry(seq, seq * 10, seq * 10 - 10, kind, hashes, null, null);
  }

  static JournalEntry entry(Manifest manifest) {
    long before = manifest.seq() - 1;
    return JournalEntry.of(manifest, new Cursor(before, before * 10));
  }

  /** Returns an image without keys, of entry 5. */
  static Image image(boolean retaining, boolean removable, boolean renews, Manifest manifest) {
    return new Image(
        new FilterName("a"), retaining, removable, renews, manifest, new Cursor(5, 50));
  }

  /** Returns which of the keys 1 to 9 one generation of an image holds. */
  static List<Long> holding(Image image, GenerationRecord generation) {
    return LongStream.rangeClosed(1, 9)
        .filter(hash -> image.arrays().contains(hash, generation, slot -> 0))
        .boxed()
        .toList();
  }

  /** Returns which of the keys 1 to 9 an image holds. */
  static List<Long> found(Image image) {
    return LongStream.rangeClosed(1, 9).filter(image::contains).boxed().toList();
  }
}
