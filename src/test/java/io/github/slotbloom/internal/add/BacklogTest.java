package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class BacklogTest {

  private static Deadline in(Duration time) {
    return Deadline.in(TimeSource.SYSTEM, time);
  }

  private static CompletableFuture<Boolean> awaitInBackground(Backlog backlog, Duration time) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return backlog.await(in(time));
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 1000, 65_536})
  void pausesGrowFromHalfOfTheLimitOn(long limit) {
    Backlog backlog = new Backlog(limit);
    long before = 0;
    for (long waiting = 0; waiting <= limit; waiting++) {
      backlog.heard(7 + waiting, 7);
      long pause = backlog.pauseNanos();
      if (waiting <= limit / 2) {
        assertThat(pause).isZero();
      } else if (waiting - limit / 2 > limit / 1000) {
        assertThat(pause).isGreaterThan(before);
      }
      assertThat(backlog.holdsBack()).isEqualTo(pause > 0);
      before = pause;
    }
    assertThat(before).isEqualTo(TimeUnit.MILLISECONDS.toNanos(250));
    backlog.heard(7 + 10 * limit, 7);
    assertThat(backlog.pauseNanos()).isEqualTo(before);
    backlog.heard(3, 7);
    assertThat(backlog.holdsBack()).isFalse();
  }

  @Test
  void aPauseBelowTheLimitEndsOnItsOwn() throws Exception {
    Backlog backlog = new Backlog(4);
    backlog.heard(3, 0);
    assertThat(backlog.await(in(Duration.ofMinutes(10)))).isTrue();
  }

  @Test
  void aPauseAtTheLimitEndsWhenEntriesAreFolded() throws Exception {
    Backlog backlog = new Backlog(4);
    backlog.heard(4, 0);
    assertThat(backlog.await(in(Duration.ofMillis(20)))).isFalse();
    CompletableFuture<Boolean> waiting = awaitInBackground(backlog, Duration.ofMinutes(10));
    backlog.folded(1);
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
  }
}
