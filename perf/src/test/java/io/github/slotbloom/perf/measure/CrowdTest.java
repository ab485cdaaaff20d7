package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrowdTest {

  private static final Duration SHORT = Duration.ofMillis(100);

  @Test
  void theRateCountsTheCallsOfAllThreads() throws Exception {
    AtomicLong done = new AtomicLong();
    long begun = System.nanoTime();

    double rate = Crowd.rate(3, SHORT, thread -> done::incrementAndGet);

    double seconds = (System.nanoTime() - begun) / 1e9;
    // The time of the rate is a part of what went by here, and at least what was asked for.
    assertThat(rate).isBetween(done.get() / seconds, done.get() / 0.1);
  }

  @Test
  void aFailureInOneThreadFailsTheRun() {
    assertThatThrownBy(
            () ->
                Crowd.rate(
                    2,
                    SHORT,
                    thread ->
                        () -> {
                          throw new IllegalStateException("thread " + thread);
                        }))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(IllegalStateException.class);
  }
}
