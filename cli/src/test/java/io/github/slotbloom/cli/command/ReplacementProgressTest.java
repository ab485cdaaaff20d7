package io.github.slotbloom.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.report.Replacement.Phase;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReplacementProgressTest {

  private final AtomicLong clock = new AtomicLong();
  private final ReplacementProgress progress = new ReplacementProgress(clock::get);

  private void told(Phase phase, long keysRead, long second) {
    clock.set(TimeUnit.SECONDS.toNanos(second));
    progress.told(
        new Replacement(
            "x", 2, 9, "a list", phase, keysRead, 40_000, Instant.EPOCH, Instant.EPOCH));
  }

  @Test
  void progressFirstSaysWhatItWaitsFor() {
    assertThat(progress.inWords()).contains("Waiting until every process");
    assertThat(progress.latest()).isNull();
  }

  @Test
  void thePaceLeavesOutKeysThatWereReadBefore() {
    told(Phase.REPLAYING, 30_000, 0);
    assertThat(progress.inWords()).endsWith(" 75 %  replaying: 30,000 of 40,000 keys");
    told(Phase.REPLAYING, 30_100, 100);
    assertThat(progress.inWords())
        .endsWith("replaying: 30,100 of 40,000 keys, 1 keys/s, 2:45:00 left");
  }

  @Test
  void eachPhaseAndPassHasItsOwnProgress() {
    told(Phase.REPLAYING, 10_000, 0);
    told(Phase.REPLAYING, 40_000, 10);
    told(Phase.VERIFYING, 0, 20);
    assertThat(progress.inWords()).endsWith("  0 %  verifying: 0 of 40,000 keys");
    told(Phase.VERIFYING, 20_000, 30);
    assertThat(progress.inWords())
        .startsWith("[############............]  50 %  ")
        .endsWith(", 2,000 keys/s, 0:00:10 left");
    told(Phase.VERIFYING, 0, 40);
    assertThat(progress.inWords()).endsWith("verifying: 0 of 40,000 keys");
  }

  @Test
  void progressBeyondTheKnownKeysShowsNoTimeLeft() {
    told(Phase.REPLAYING, 0, 0);
    told(Phase.REPLAYING, 50_000, 10);
    assertThat(progress.inWords())
        .isEqualTo(
            "[########################] 100 %  replaying: 50,000 of 40,000 keys, 5,000 keys/s");
  }
}
