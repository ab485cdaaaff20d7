package io.github.slotbloom.internal.replace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.ReplacementException;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistinctHashesTest {

  private static final FilterName NAME = new FilterName("urls");
  private static final long[] HASHES = new Random(6).longs(20_000).distinct().toArray();

  private static DistinctHashes counted(long expected) {
    DistinctHashes distinct = new DistinctHashes(expected);
    for (int round = 0; round < 3; round++) {
      distinct.addAll(HASHES);
    }
    return distinct;
  }

  /** Also if there are more than was expected. */
  @ParameterizedTest
  @ValueSource(longs = {0, 10_000, 20_000, 100_000})
  void equalHashesCountOnce(long expected) {
    assertThat(counted(expected).countWithout(LongStream.empty())).isEqualTo(HASHES.length);
  }

  @Test
  void givenHashesAreLeftOut() {
    LongStream others = LongStream.concat(LongStream.of(HASHES).limit(500), LongStream.of(1, 2, 3));
    assertThat(counted(20_000).countWithout(others)).isEqualTo(HASHES.length - 500);
    LongStream twice = LongStream.concat(LongStream.of(HASHES), LongStream.of(HASHES));
    assertThat(counted(20_000).countWithout(twice)).isZero();
  }

  @Test
  void moreThanTheHeapCanHoldIsRefused() {
    assertThatCode(() -> DistinctHashes.requireRoom(NAME, 1000)).doesNotThrowAnyException();
    assertThatThrownBy(() -> DistinctHashes.requireRoom(NAME, 1L << 36))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll("urls", "-Xmx", "--force");
  }
}
