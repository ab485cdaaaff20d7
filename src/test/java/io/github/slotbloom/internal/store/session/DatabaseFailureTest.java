package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** As the server names them: GR_HOLD, GRP_TRX_CONSISTENCY, RUN_HOOK. */
  @ParameterizedTest
  @ValueSource(ints = {3781, 3782, 3783, 3796, 3797, 3798, 3799, 3100})
  void aMemberThatCannotAnswerNowIsLeft(int error) {
    DatabaseFailure failure = DatabaseFailure.of(new SQLException("group", "HY000", error));
    assertThat(failure.replayable()).isTrue();
    assertThat(failure.connectionUseless()).isTrue();
    assertThat(failure.remedy()).contains("majority");
    assertThat(DatabaseFailure.ofCommit(new SQLException("group", "HY000", error)).outcomeUnknown())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"1040, 08004", "1203, 42000", "1226, 42000"})
  void aLimitOfConnectionsOrStatementsPasses(int error, String state) {
    DatabaseFailure failure = DatabaseFailure.of(new SQLException("limit", state, error));
    assertThat(failure.replayable()).isTrue();
    assertThat(failure.remedy()).contains("limit").doesNotContain("address");
  }

  /** As readers of some clouds are. */
  @ParameterizedTest
  @CsvSource({
    "Can't lock file (errno: 165 - Table is read only), true",
    "Can't lock file (errno: 11), false"
  })
  void aStorageEngineThatIsReadOnlyIsAServerThatIs(String message, boolean readOnly) {
    DatabaseFailure failure = DatabaseFailure.of(new SQLException(message, "HY000", 1015));
    assertThat(failure.replayable()).isEqualTo(readOnly);
    assertThat(failure.connectionUseless()).isEqualTo(readOnly);
    assertThat(failure.remedy().contains("primary")).isEqualTo(readOnly);
  }

  @Test
  void aFullTableIsToldOnceWithTheRemedy() {
    SQLException full = new SQLException("The table 'bits' is full", "HY000", 1114);
    DatabaseFailure failure =
        DatabaseFailure.of(
            new BatchUpdateException(full.getMessage(), "HY000", 1114, new int[0], full));
    assertThat(failure.getMessage()).containsOnlyOnce("is full");
    assertThat(failure.remedy()).contains("Free disk space", "safe");
  }

  @Test
  void aPasswordThatMayNotBeSentNamesTheSettings() {
    SQLException refused = new SQLException("Public Key Retrieval is not allowed", "08001", 0);
    assertThat(DatabaseFailure.of(refused).remedy())
        .contains("sslMode=REQUIRED", "allowPublicKeyRetrieval=true");
  }

  /** Pools have errors of their own, without code and state, or throw what is no SQLException. */
  @Test
  void aDataSourceThatGivesNoConnectionIsNotReached() {
    for (Exception thrown :
        List.of(
            new SQLException("Timeout waiting for idle object"),
            new IllegalStateException("the pool is closed"))) {
      DatabaseFailure failure = failureOf(thrown);
      assertThat(failure.outcomeUnknown()).isFalse();
      assertThat(failure.remedy()).contains("Nothing was sent");
    }
    assertThat(failureOf(new SQLException("Access denied", "28000", 1045)).remedy())
        .contains("password");
  }

  private static DatabaseFailure failureOf(Exception thrown) {
    DataSource source =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  throw thrown;
                });
    return catchThrowableOfType(DatabaseFailure.class, () -> Loan.from(source));
  }

  /** A single server can be in it, too. */
  @Test
  void offlineModeIsNamedInTheRemedy() {
    DatabaseFailure failure =
        DatabaseFailure.of(
            new SQLException("The server is currently in offline mode", "HY000", 3032));
    assertThat(failure.remedy()).contains("offline mode").doesNotContain("majority");
    assertThat(failure.replayable()).isTrue();
    assertThat(failure.connectionUseless()).isTrue();
  }
}
