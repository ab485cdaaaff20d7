package io.github.slotbloom.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HashMarksTest {

  @Test
  void eachHashHasItsNewestMark() {
    SplittableRandom random = new SplittableRandom(7);
    Map<Long, Long> expected = new TreeMap<>();
    HashMarks marks = new HashMarks();
    for (int i = 0; i < 20_000; i++) {
      // Hashes that share their low bits, too, and 0.
      long hash = random.nextInt(5000) * (i % 2 == 0 ? 1L : 1L << 40);
      long mark = random.nextLong(1, 100) * (i % 3 == 0 ? -1 : 1);
      Long before = expected.put(hash, mark);
      assertThat(marks.put(hash, mark)).isEqualTo(before == null ? 0 : before);
    }
    assertThat(marks.size()).isEqualTo(expected.size());
    expected.forEach((hash, mark) -> assertThat(marks.get(hash)).isEqualTo(mark));
    assertThat(marks.get(-1)).isZero();
    assertThat(marks.hashes()).containsExactly(expected.keySet().toArray(Long[]::new));
    assertThat(marks.isOverflowed()).isFalse();
  }

  @Test
  void aHashTooManyIsNotTakenInSilently() {
    HashMarks marks = new HashMarks(1024);
    for (long hash = 0; hash < 682; hash++) {
      marks.put(hash, 1);
    }
    assertThat(marks.isOverflowed()).isFalse();
    assertThat(marks.put(5, 2)).isOne();
    marks.put(999, 1);
    assertThat(marks.isOverflowed()).isTrue();
    assertThat(marks.get(999)).isZero();
    assertThat(marks.get(5)).isEqualTo(2);
  }
}
