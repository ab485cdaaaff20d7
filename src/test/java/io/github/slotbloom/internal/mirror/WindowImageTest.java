package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.store.catalog.Bucket;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.GenerationSet;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WindowImageTest {

  private static final int BUCKETS = 40;
  private static final long FIRST_BUCKET = 1000;

  private Cursor end = new Cursor(5, 50);

  private static Image image(boolean renews, GenerationRecord first) {
    return new Image(
        new FilterName("a"),
        false,
        false,
        renews,
        1,
        new GenerationSet(List.of(first), null),
        new Cursor(5, 50));
  }

  private static GenerationRecord generation(
      int number, long sinceSeq, BloomParameters shape, long bucket) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceSeq * 10,
        100,
        0.01,
        shape,
        "bloom_bits_a_v" + number,
        0,
        new Bucket(bucket, BUCKETS));
  }

  private JournalEntry add(long hash) {
    JournalEntry entry =
        new JournalEntry(end.seq() + 1, end.token() + 10, end.token(), new long[] {hash});
    end = entry.cursor();
    return entry;
  }

  private JournalEntry rotate(GenerationRecord generation) {
    JournalEntry entry = JournalEntry.rotating(generation, end, end.token() + 10);
    end = entry.cursor();
    return entry;
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsFoundInEachOfManyBucketsUntilItsOwnExpires(Layout layout) {
    Image image =
        image(false, generation(1, 0, new BloomParameters(layout, 4096, 40), FIRST_BUCKET));
    long[] hashes = new long[BUCKETS + 1];
    for (int i = 0; i <= BUCKETS; i++) {
      // Two shapes, in runs, and few bits in some.
      BloomParameters shape = new BloomParameters(layout, 4096, i % 20 < 14 ? 40 : 2);
      if (i > 0) {
        image.apply(List.of(rotate(generation(i + 1, end.seq() + 1, shape, FIRST_BUCKET + i))));
      }
      hashes[i] = i * 7919L;
      image.apply(List.of(add(hashes[i])));
    }
    for (int expired = 0; expired <= BUCKETS; expired++) {
      image.expire(FIRST_BUCKET + BUCKETS + expired);
      boolean[] expected = new boolean[hashes.length];
      for (int i = 0; i < hashes.length; i++) {
        expected[i] = i >= expired;
      }
      boolean[] answers = new boolean[hashes.length];
      image.contains(hashes, 0, hashes.length, answers);
      assertThat(answers).containsExactly(expected);
      List<Boolean> one =
          IntStream.range(0, hashes.length).mapToObj(i -> image.contains(hashes[i])).toList();
      assertThat(one)
          .isEqualTo(IntStream.range(0, hashes.length).mapToObj(i -> expected[i]).toList());
    }
  }
}
