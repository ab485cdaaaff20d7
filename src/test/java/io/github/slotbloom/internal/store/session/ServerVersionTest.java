package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.UnsupportedVersionException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {

  @ParameterizedTest
  @CsvSource({
    "8.0.19, transaction_isolation, transaction_read_only, max_execution_time",
    "8.4.6-commercial, transaction_isolation, transaction_read_only, max_execution_time",
    "9.7.4-2, transaction_isolation, transaction_read_only, max_execution_time",
    "10.6.0-MariaDB, tx_isolation, tx_read_only, max_statement_time",
    "10.11.19-MariaDB-0+deb12u1-log, tx_isolation, tx_read_only, max_statement_time",
    "5.5.5-10.11.19-MariaDB-log, tx_isolation, tx_read_only, max_statement_time",
    "11.0.6-MariaDB, tx_isolation, tx_read_only, max_statement_time",
    "11.1.1-MariaDB, transaction_isolation, transaction_read_only, max_statement_time",
    "11.4.5-mariadb-log, transaction_isolation, transaction_read_only, max_statement_time",
    "12.0.2-MariaDB, transaction_isolation, transaction_read_only, max_statement_time",
  })
  void eachServerHasItsOwnNamesOfSettings(
      String text, String isolation, String readOnly, String time) {
    ServerVersion version = ServerVersion.supported(text);
    assertThat(version.isolation()).isEqualTo(isolation);
    assertThat(version.readOnly()).isEqualTo(readOnly);
    assertThat(version.statementTime()).isEqualTo(time);
  }

  @Test
  void anotherDatabaseIsRefusedByItsName() {
    JdbcDataSource h2 = new JdbcDataSource();
    h2.setURL("jdbc:h2:mem:;MODE=MySQL");
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(() -> SlotBloom.on(h2))
        .withMessageStartingWith("The server is H2. Slotbloom needs MySQL 8.0.19 or later");
  }

  @Test
  void connectingToATooOldServerIsRefused() {
    // No such server can be had here: this one only says what it is.
    ResultSet row = answering(ResultSet.class, Map.of("next", true, "getString", "5.7.44-log"));
    Statement statement = answering(Statement.class, Map.of("executeQuery", row));
    Connection connection =
        answering(
            Connection.class,
            Map.of(
                "createStatement",
                statement,
                "getAutoCommit",
                true,
                "isWrapperFor",
                false,
                "isClosed",
                false,
                "getNetworkTimeout",
                1000));
    DataSource dataSource = answering(DataSource.class, Map.of("getConnection", connection));
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(() -> SlotBloom.on(dataSource))
        .withMessageContaining("MySQL 5.7.44-log");
  }

  private static <T> T answering(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5.7.44-log",
        "8.0.18",
        "8.0.11-TiDB-v7.5.0",
        "10.5.29-MariaDB",
        "5.5.5-10.5.29-MariaDB-log",
        "99999999999.1.1",
        "8.0",
        "",
      })
  void oldAndUnknownVersionsAreRefusedWithTheRemedy(String text) {
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(() -> ServerVersion.supported(text))
        .withMessageContaining(" " + text + ". Slotbloom needs MySQL 8.0.19 or later")
        .withMessageContaining("upgrade the server");
  }
}
