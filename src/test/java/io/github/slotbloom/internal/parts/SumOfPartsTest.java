package io.github.slotbloom.internal.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SumOfPartsTest {

  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Window DAYS = new Window(Duration.ofDays(7), 7, false);

  /** A part of a window whose generations have so many keys in all. */
  private static FilterInfo part(int number, long keys, Generation... generations) {
    return new FilterInfo(
        number,
        "pages_" + number + "_of_2",
        "text",
        "xxh3_64",
        Seed.of("xxh3_64", 0),
        Layout.BLOCKED,
        true,
        false,
        Optional.of(DAYS),
        1000,
        0.001,
        WhenFull.GROW,
        1,
        keys,
        0,
        0,
        0,
        keys,
        false,
        0,
        9,
        9,
        0,
        0,
        Duration.ZERO,
        new FilterUsage(0, 0, 0, 0, 0),
        NOON,
        Optional.empty(),
        List.of(generations));
  }

  /** A generation of the first bucket, which is over. */
  private static Generation past(long keysOfBucket) {
    return generation(0, keysOfBucket, true);
  }

  /** A generation of the second bucket. */
  private static Generation present(long keysOfBucket) {
    return generation(1, keysOfBucket, false);
  }

  private static Generation generation(int day, long keys, boolean over) {
    Instant begin = NOON.plus(Duration.ofDays(day));
    return new Generation(
        day + 1,
        State.ACTIVE,
        Optional.of(
            new Bucket(
                begin, begin.plus(Duration.ofDays(1)), begin.plus(Duration.ofDays(8)), over, keys)),
        500,
        0.001,
        6400,
        10,
        "bloom_bits_pages",
        100,
        16_384,
        keys,
        0,
        0.5,
        0.001);
  }

  @Test
  void partsWithAsManyKeysInABucketCountEachForItself() {
    FilterInfo sum =
        SumOfParts.info(
            "pages",
            List.of(part(0, 370, past(300), present(70)), part(1, 380, past(300), present(80))));
    assertThat(sum.keysInPastBuckets()).isEqualTo(600);
    assertThat(sum.used()).isCloseTo(150.0 / 1400, within(1e-9));
    assertThat(sum.nearlyFullAt()).isEqualTo(600 + 1120);
    assertThat(sum.generations().stream().map(each -> each.bucket().orElseThrow().keys()))
        .as("of all parts together")
        .containsExactly(600L, 150L, 600L, 150L);
  }

  @Test
  void generationsOfOneBucketCountOnce() {
    FilterInfo sum =
        SumOfParts.info(
            "pages",
            List.of(
                part(0, 370, past(300), past(300), present(70)),
                part(1, 280, past(200), present(80))));
    assertThat(sum.keysInPastBuckets()).isEqualTo(500);
  }
}
