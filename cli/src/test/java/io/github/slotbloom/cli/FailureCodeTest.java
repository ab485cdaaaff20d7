package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureCodeTest {

  private static void assertEndsWith(int code, SQLException reason) {
    RuntimeException wrapped = new IllegalStateException(reason);
    assertThat(FailureCode.of(new FilterUnavailableException("asked", wrapped))).isEqualTo(code);
    assertThat(
            FailureCode.of(
                new WriteFailedException(
                    "seen", WriteFailedException.Outcome.NOT_RECORDED, 0, "added", wrapped)))
        .isEqualTo(code);
  }

  /** Read-only, in offline mode, in a group that has not settled: docs/scale-out.md lists them. */
  @ParameterizedTest
  @ValueSource(
      ints = {1040, 1203, 1226, 1290, 1836, 3032, 3100, 3781, 3782, 3783, 3796, 3797, 3798, 3799})
  void aServerThatCanDoNothingForNowMayBeTriedLater(int error) {
    assertEndsWith(ExitCode.UNREACHABLE, new SQLException("not now", "HY000", error));
  }

  @Test
  void aStorageEngineThatIsReadOnlyMayBeTriedLater() {
    String why = "Can't lock file (errno: 165 - Table is read only)";
    assertEndsWith(ExitCode.UNREACHABLE, new SQLException(why, "HY000", 1015));
    assertEndsWith(ExitCode.FAILURE, new SQLException("errno: 13", "HY000", 1015));
  }

  /** The driver gives it the state of a connection that failed. */
  @Test
  void aPasswordThatMayNotBeSentFails() {
    assertEndsWith(
        ExitCode.FAILURE, new SQLException("Public Key Retrieval is not allowed", "08001", 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {1064, 1665, 1142})
  void aStatementThatIsRefusedFails(int error) {
    assertEndsWith(ExitCode.FAILURE, new SQLException("never", "HY000", error));
  }
}
