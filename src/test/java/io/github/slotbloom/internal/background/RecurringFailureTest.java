package io.github.slotbloom.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.error.CorruptFilterException;
import org.junit.jupiter.api.Test;

class RecurringFailureTest {

  private final RecurringFailure failure = new RecurringFailure();

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
}
