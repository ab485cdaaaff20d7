package io.github.slotbloom.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.testing.StandingClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clock stands still, but for what each attempt takes. */
@Timeout(180)
class RetryTest {

  private final List<IllegalStateException> failures = new ArrayList<>();
  private final StandingClock clock = new StandingClock();

  private String fail(Duration taking) {
    clock.advance(taking);
    failures.add(new IllegalStateException("attempt " + failures.size()));
    throw failures.get(failures.size() - 1);
  }

  private Deadline second() {
    return Deadline.in(clock, Duration.ofSeconds(1));
  }

  @Test
  void workIsRepeatedUntilItSucceeds() {
    String answer =
        Retry.ofCall()
            .until(
                second(),
                e -> true,
                () -> failures.size() < 3 ? fail(Duration.ofMillis(1)) : "done");
    assertThat(answer).isEqualTo("done");
    assertThat(failures).hasSize(3);
  }

  private String briefly(boolean atOnce, Supplier<String> work) {
    return Retry.briefly(clock, e -> true, e -> atOnce, work);
  }

  /** The server had ended the session meanwhile. */
  @Test
  void aStepIsRepeatedHoweverLongItsFirstAttemptTook() {
    assertThat(briefly(true, () -> failures.isEmpty() ? fail(Duration.ofMinutes(1)) : "done"))
        .isEqualTo("done");
  }

  @Test
  void aStepThatWaitedForAnAnswerIsNotRepeated() {
    assertThatThrownBy(() -> briefly(false, () -> fail(Duration.ofSeconds(2))))
        .isSameAs(failures.get(0));
    assertThat(failures).hasSize(1);
  }

  @Test
  void aStepIsRepeatedForTwoSeconds() {
    assertThatThrownBy(() -> briefly(false, () -> fail(Duration.ofMillis(999))))
        .isSameAs(failures.get(2));
    assertThat(failures).hasSize(3);
  }

  @Test
  void theLastFailureIsThrownOnceTheDeadlineHasPassed() {
    Throwable thrown =
        catchThrowable(
            () -> Retry.ofCall().until(second(), e -> true, () -> fail(Duration.ofMillis(400))));
    assertThat(failures).hasSize(3);
    assertThat(thrown).isSameAs(failures.get(2));
  }

  @Test
  void aLastingFailureIsThrownAtOnce() {
    Throwable thrown =
        catchThrowable(
            () ->
                Retry.ofCall()
                    .until(second(), e -> failures.size() < 2, () -> fail(Duration.ZERO)));
    assertThat(failures).hasSize(2);
    assertThat(thrown).isSameAs(failures.get(1));
  }

  @Test
  void anInterruptedThreadStopsTryingAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    Throwable thrown =
        catchThrowable(() -> Retry.ofCall().until(second(), e -> true, () -> fail(Duration.ZERO)));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failures).hasSize(1);
    assertThat(thrown).isSameAs(failures.get(0));
  }

  @Test
  void aStepOfAnInterruptedThreadIsNotRepeated() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> briefly(true, () -> fail(Duration.ZERO))).isSameAs(failures.get(0));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failures).hasSize(1);
  }

  @Test
  void anInterruptEndsAPause() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Retry.ofCall().pause(second()))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
