package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Crowd;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecentHashesTest {

  private static final long[] SPECIAL = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE};

  @Test
  void hashesAreKnownAfterTheyWereAdded() {
    for (long hash : SPECIAL) {
      RecentHashes recent = new RecentHashes();
      assertThat(LongStream.of(SPECIAL).filter(recent::contains)).isEmpty();
      recent.add(new long[] {hash});
      assertThat(LongStream.of(SPECIAL).filter(recent::contains)).containsExactly(hash);
    }
  }

  @Test
  void newHashesAreMostlyKeptAndOldOnesForgotten() {
    RecentHashes recent = new RecentHashes();
    long[] hashes = new Random(1).longs(2_000_000).toArray();
    recent.add(hashes);
    assertThat(LongStream.of(hashes).skip(1_990_000).filter(recent::contains).count())
        .isGreaterThan(9_700);
    assertThat(LongStream.of(hashes).limit(100_000).filter(recent::contains).count())
        .isLessThan(500);
  }

  /**
   * Hashes that were never added differ from added ones in one half only, and share their place.
   */
  @Test
  void threadsNeverGetAFalseYes() throws Exception {
    long seed = new Random().nextLong();
    long[] added = new Random(seed).longs(4000).toArray();
    long[] never = new long[added.length];
    for (int i = 0; i < added.length; i++) {
      long high = added[i] & 0xFFFFFFFF00000000L;
      long low = added[(i + 1) % added.length] & 0xFFFFFFFFL;
      never[i] = high | low;
    }
    RecentHashes recent = new RecentHashes();
    AtomicBoolean done = new AtomicBoolean();
    Crowd readers =
        Crowd.of(
            2,
            number -> {
              while (!done.get()) {
                assertThat(LongStream.of(never).filter(recent::contains))
                    .as("seed %d", seed)
                    .isEmpty();
              }
            });
    Crowd writers =
        Crowd.of(
            2,
            number -> {
              for (int round = 0; round < 300; round++) {
                for (int i = number; i < added.length; i += 2) {
                  recent.add(new long[] {added[i]});
                }
              }
            });
    writers.join(Duration.ofSeconds(60));
    done.set(true);
    readers.join(Duration.ofSeconds(60));
  }
}
