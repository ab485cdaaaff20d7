package io.github.slotbloom.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RecurringFailureTest {

  private final RecurringFailure failure =
      new RecurringFailure(
          LoggerFactory.getLogger(RecurringFailureTest.class),
          TimeSource.SYSTEM,
          "folding failed",
          e -> e instanceof FilterNotFoundException);

  private boolean isNews(String message) {
    return failure.isNews(new CorruptFilterException(message));
  }

  @Test
  void aLastingFailureIsNewsOnce() {
    assertThat(isNews("entry 4 is missing")).isTrue();
    assertThat(isNews("entry 4 is missing")).isFalse();
    assertThat(isNews("entry 5 is missing")).isTrue();
    assertThat(isNews("entry 5 is missing")).isFalse();
  }

  @Test
  void anAnswerOfTheDatabaseEndsOnlyItsOutage() {
    assertThat(isNews("entry 4 is missing")).isTrue();
    failure.databaseAnswered();
    assertThat(isNews("entry 4 is missing")).isFalse();
  }

  @Test
  void aFailureThatReturnsIsNewsAgain() {
    assertThat(isNews("entry 4 is missing")).isTrue();
    failure.over();
    assertThat(isNews("entry 4 is missing")).isTrue();
  }

  @Test
  @ExpectedLog(value = "folding failed: Entry 4 is missing$", times = 1)
  void theCauseIsToldOnceAsASentence() {
    List<String> told = new ArrayList<>();
    CorruptFilterException cause = new CorruptFilterException("Entry 4 is missing.");
    failure.tell(new CompletionException(cause), told::add);
    failure.tell(cause, told::add);
    assertThat(told).containsExactly("Entry 4 is missing.");
  }

  @Test
  void whatIsExpectedOrEndsWithTheProcessIsNoNews() {
    assertThat(failure.isNews(new FilterNotFoundException("it expired"))).isFalse();
    Executor closed =
        work -> {
          throw new RejectedExecutionException();
        };
    assertThat(failure.isNews(refusal(closed))).isFalse();
    Executor full =
        work -> {
          throw new OutOfMemoryError("no thread");
        };
    assertThat(failure.isNews(refusal(full))).isTrue();
  }

  private static Throwable refusal(Executor threads) {
    return Backgrounds.on(threads).run(() -> {}).handle((done, e) -> e).join();
  }
}
