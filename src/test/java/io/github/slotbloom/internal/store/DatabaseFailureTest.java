package io.github.slotbloom.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseFailureTest {

  /** A cluster rolls back what conflicts with the commit of another server, and says so. */
  @ParameterizedTest
  @CsvSource({"1213, 40001", "3101, 40000"})
  void aCommitThatConflictedIsCertainlyNone(int error, String state) {
    DatabaseFailure failure = DatabaseFailure.ofCommit(new SQLException("conflict", state, error));
    assertThat(failure.outcomeUnknown()).isFalse();
    assertThat(failure.replayable()).isTrue();
    assertThat(failure.connectionUseless()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"1180, HY000", "1205, HY000", "0, 08S01", "1213, 08S01"})
  void anyOtherCommitThatFailedMayHaveTakenEffect(int error, String state) {
    assertThat(DatabaseFailure.ofCommit(new SQLException("failed", state, error)).outcomeUnknown())
        .isTrue();
  }
}
