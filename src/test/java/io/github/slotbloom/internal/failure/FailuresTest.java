package io.github.slotbloom.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {

  @ParameterizedTest
  @CsvSource({
    "40001, 1213, true", // deadlock
    "HY000, 1290, true", // read-only
    "08S01, 0, true", // connection lost
    "HY000, 1205, false", // lock wait timeout
    "HY000, 3024, false", // statement timeout
    "HY000, 3781, false", // the new primary has not applied its backlog in time
    "HY000, 3797, false", // the group has not applied in time what came before
    "HY000, 3798, false", // the others have not applied in time what this server committed
  })
  void whatCameAtOnceIsTold(String state, int error, boolean atOnce) {
    DatabaseFailure failure = DatabaseFailure.of(new SQLException("failed", state, error));
    assertThat(Failures.cameAtOnce(failure)).isEqualTo(atOnce);
  }

  @Test
  void aServerThatAnswersIsNotSaidToBeDown() {
    Failures failures = new Failures(new FilterName("seen"));
    DatabaseFailure secondary = DatabaseFailure.ofSecondary();
    assertThat(failures.unavailable(Failures.reason(secondary), secondary))
        .hasMessageContaining("address of the primary")
        .hasMessageNotContaining("is up");
    assertThat(Failures.databaseUnavailable(secondary)).hasMessageNotContaining("..");
    DatabaseFailure lost = DatabaseFailure.of(new SQLException("lost", "08S01"));
    assertThat(failures.unavailable("lost", lost)).hasMessageContaining("is up");
  }

  @Test
  void anAnswerThatDidNotComeDidNotComeAtOnce() {
    SQLException lost = new SQLNonTransientConnectionException("lost", "08S01");
    lost.initCause(new SocketTimeoutException("Read timed out"));
    assertThat(Failures.cameAtOnce(DatabaseFailure.of(lost))).isFalse();
  }
}
