package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.github.slotbloom.error.InvalidParameterException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice among servers that belong to no group. Groups are in {@code GroupFailoverIT}. */
class PrimaryDataSourceTest {

  private static final int UNKNOWN_VARIABLE = 1193;

  /** Tells that the server was chosen. */
  private static final String MARK = "SET @slotbloom_chosen = 1";

  private final List<String> calls = new ArrayList<>();
  private final Server one = new Server("one");
  private final Server two = new Server("two");
  private final Server three = new Server("three");
  private final PrimaryDataSource primary = new PrimaryDataSource(List.of(one, two, three));

  /** A server that refuses connections, or answers whether it is writable. */
  private final class Server extends MysqlDataSource {
    private static final long serialVersionUID = 1L;
    private final String name;
    private boolean writable;
    private SQLException refusal;

    Server(String name) {
      this.name = name;
    }

    @Override
    public Connection getConnection() throws SQLException {
      calls.add(name);
      if (refusal != null) {
        throw refusal;
      }
      return fake(
          Connection.class,
          (method, argument) ->
              switch (method) {
                case "createStatement" -> fake(Statement.class, this::statement);
                case "setNetworkTimeout" -> calls.add("timeout");
                case "close" -> calls.add("close " + name);
                case "getCatalog" -> name;
                default -> null;
              });
    }

    private Object statement(String method, Object argument) throws SQLException {
      if (method.equals("execute")) {
        calls.add(argument.toString());
        return false;
      }
      if (!method.equals("executeQuery")) {
        return null;
      }
      String query = argument.toString();
      if (query.contains("group_replication_group_name") || query.contains("wsrep_on")) {
        throw new SQLException("Unknown system variable", "HY000", UNKNOWN_VARIABLE);
      }
      return fake(
          ResultSet.class, (get, column) -> get.equals("getBoolean") ? (Object) writable : true);
    }
  }

  private interface Answer {
    Object to(String method, Object argument) throws SQLException;
  }

  private static <T> T fake(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = answer.to(method.getName(), arguments == null ? null : arguments[0]);
              return method.getReturnType() == void.class ? null : result;
            }));
  }

  private static SQLException down() {
    return new SQLException("Communications link failure\n\nmore", "08S01");
  }

  @Test
  void theFirstPrimaryIsTakenAndOthersAreClosed() throws Exception {
    one.refusal = down();
    three.writable = true;
    assertThat(primary.getConnection().getCatalog()).isEqualTo("three");
    assertThat(calls).containsExactly("one", "two", "close two", "three", MARK, "timeout");
  }

  @Test
  void theLastPrimaryIsAskedFirstUntilItIsOneNoMore() throws Exception {
    two.writable = true;
    primary.getConnection();
    calls.clear();
    primary.getConnection();
    assertThat(calls).containsExactly("two", MARK, "timeout");
    two.writable = false;
    one.writable = true;
    calls.clear();
    assertThat(primary.getConnection().getCatalog()).isEqualTo("one");
    assertThat(calls)
        .containsExactly("two", "close two", "three", "close three", "one", MARK, "timeout");
  }

  @Test
  void withoutAPrimaryTheReasonsAreTold() {
    one.refusal = down();
    assertThatExceptionOfType(SQLTransientConnectionException.class)
        .isThrownBy(primary::getConnection)
        .withMessageContaining("None of 3 servers")
        .withMessageContaining("Communications link failure; Server 2 is not the primary")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(3))
        .satisfies(e -> assertThat(e.getSQLState()).startsWith("08"));
  }

  @Test
  void anAccountThatIsRefusedIsNoFailover() throws Exception {
    two.refusal = new SQLException("Access denied", "28000", 1045);
    assertThatExceptionOfType(SQLInvalidAuthorizationSpecException.class)
        .isThrownBy(primary::getConnection)
        .withMessageContaining("Access denied")
        .withCause(two.refusal);
    three.writable = true;
    assertThat(primary.getConnection().getCatalog()).isEqualTo("three");
  }

  @Test
  void aSchemaThatNoServerHasIsNoFailover() {
    SQLException unknown = new SQLException("Unknown database", "42000", 1049);
    one.refusal = unknown;
    two.refusal = unknown;
    assertThatExceptionOfType(SQLTransientConnectionException.class)
        .isThrownBy(primary::getConnection);
    three.refusal = unknown;
    assertThatExceptionOfType(SQLSyntaxErrorException.class)
        .isThrownBy(primary::getConnection)
        .withMessageContaining("Unknown database")
        .satisfies(e -> assertThat(e.getErrorCode()).isEqualTo(1049));
  }

  @Test
  void anAccountWithTooManyConnectionsOnAllServersMayBeTriedAgain() {
    SQLException tooMany = new SQLException("Too many connections of app", "42000", 1226);
    one.refusal = tooMany;
    two.refusal = tooMany;
    three.refusal = tooMany;
    assertThatExceptionOfType(SQLTransientConnectionException.class)
        .isThrownBy(primary::getConnection)
        .withMessageContaining("Too many connections");
  }

  @ParameterizedTest
  @CsvSource({
    "HY000, 1290, true", // read-only
    "HY000, 3797, true", // no majority
    "40001, 1213, true", // deadlock
    "08S01, 0, true", // connection lost
    "23000, 1062, false", // duplicate key
    "42S02, 1146, false", // no such table
  })
  void whatPassesOnAnotherConnectionIsTold(String state, int error, boolean passes) {
    assertThat(PrimaryDataSource.mayPass(new SQLException("failed", state, error)))
        .isEqualTo(passes);
  }

  @Test
  void serversAndTimeoutsOutsideTheirRangesAreRefused() {
    assertThatThrownBy(() -> new PrimaryDataSource(List.of()))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("one data source for each server");
    assertThatThrownBy(() -> new PrimaryDataSource(List.of(one), Duration.ofMillis(-1)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("PT-0.001S");
    assertThatThrownBy(() -> new PrimaryDataSource(List.of(one), Duration.ofDays(25)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("0 to 24 days");
  }
}
