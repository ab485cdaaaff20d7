package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The stored function takes keys of SQL for the keys that Java would take them for, or refuses
 * them.
 */
@DatabaseContract
@Tag("mysql")
class MembershipFunctionKeysIT extends MembershipFunctions {

  @Test
  void theFunctionHashesNumbersAsJavaDoes() throws SQLException {
    List<Long> added = List.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0x0102030405060708L);
    bloom.reserve("numbers", spec(KeyType.longs()).build()).addEach(added);
    makeFunction("numbers");

    for (Long number : added) {
      assertThat(ask("numbers", number)).isEqualTo("1");
    }
    assertThat(ask("numbers", 2)).isEqualTo("0");
    assertThat(ask("numbers", (Object) null)).isEqualTo("null");
    assertThatThrownBy(() -> ask("numbers", "9223372036854775808"))
        .hasMessageContaining("Out of range");
  }

  /**
   * The caller's SQL mode governs how an argument becomes a parameter; no strict mode refuses it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "STRICT_ALL_TABLES", "ANSI"})
  void noSqlModeChangesANumber(String mode) throws SQLException {
    String name = "modes_" + mode.toLowerCase(Locale.ROOT);
    bloom.reserve(name, spec(KeyType.longs()).build()).addEach(List.of(12L, -5L, 2020L, 1L));
    makeFunction(name);
    String call = "SELECT " + sql.function(name) + "(%s)";
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_mode = '" + mode + "'");
      try {
        for (String key :
            List.of(
                "12",
                "'12'",
                "'-5'",
                "12.00",
                "'0012'",
                "'+12'",
                "YEAR('2020-05-05')",
                "TRUE",
                "CAST(12 AS UNSIGNED)",
                "12e0",
                "CONVERT('12' USING utf8mb4)")) {
          assertThat(answer(statement, call, key)).as(key).isEqualTo("1");
        }
        for (String key : List.of("13", "-9223372036854775808", "'9223372036854775807'")) {
          assertThat(answer(statement, call, key)).as(key).isEqualTo("0");
        }
        for (String key :
            List.of(
                "'12abc'",
                "''",
                "' 12'",
                "'12\n'",
                "12.4",
                "x'3132ff'",
                "1e40",
                "'1e1'",
                "CONVERT('12' USING utf16)",
                "b'1'",
                "DATE '2020-01-01'")) {
          assertThatThrownBy(() -> answer(statement, call, key))
              .as(key)
              .hasMessageContaining("No whole number");
        }
        for (String key : List.of("9223372036854775808", "-9223372036854775809")) {
          assertThatThrownBy(() -> answer(statement, call, key))
              .as(key)
              .hasMessageContaining("Out of range");
        }
      } finally {
        statement.execute("SET SESSION sql_mode = @@GLOBAL.sql_mode");
      }
    }
  }

  private static String answer(Statement statement, String call, String key) throws SQLException {
    try (ResultSet row = statement.executeQuery(call.formatted(key))) {
      assertThat(row.next()).isTrue();
      return String.valueOf(row.getString(1));
    }
  }

  /** Only bytes that are no text at all get no answer to rely on, in a mode that is not strict. */
  @ParameterizedTest
  @ValueSource(strings = {"latin1", "latin2", "utf8mb3", "utf8mb4", "utf16", "utf32"})
  void noSqlModeChangesTheTextOfAColumn(String charset) throws SQLException {
    String name = "column_" + charset;
    bloom.reserve(name, spec(100).build()).add("äöü");
    makeFunction(name);
    sql.run("CREATE TABLE " + name + " (n INT, k VARCHAR(20) CHARACTER SET " + charset + ")");
    sql.run("INSERT INTO " + name + " VALUES (1, 'äöü'), (2, 'äöo')");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_mode = ''");
      String call = "SELECT " + sql.function(name) + "(k) FROM " + name + " WHERE n = %s";
      try {
        assertThat(answer(statement, call, "1")).isEqualTo("1");
        assertThat(answer(statement, call, "2")).isEqualTo("0");
      } finally {
        statement.execute("SET SESSION sql_mode = @@GLOBAL.sql_mode");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFunctionHashesBytesAsTheyAre(boolean custom) throws SQLException {
    String name = custom ? "encoded" : "bytes";
    KeyType<byte[]> type = custom ? KeyType.encoded("as-is", bytes -> bytes) : KeyType.bytes();
    byte[] noText = {0, (byte) 0xFF, (byte) 0xC3, 0};
    bloom.reserve(name, spec(type).build()).addEach(List.of(noText, new byte[0]));
    makeFunction(name);

    assertThat(ask(name, noText)).isEqualTo("1");
    assertThat(ask(name, new byte[0])).isEqualTo("1");
    assertThat(ask(name, new byte[] {0, (byte) 0xFF, (byte) 0xC3})).isEqualTo("0");
  }

  @Test
  void textOfAnyCharacterSetBecomesUtf8() throws SQLException {
    bloom.reserve("texts", spec(100).build()).add("grüße");
    makeFunction("texts");
    sql.run("CREATE TABLE latin (k VARCHAR(20) CHARACTER SET latin1, b VARBINARY(20))");
    sql.run("INSERT INTO latin VALUES ('grüße', ?)", (Object) new byte[] {(byte) 0xFC});

    String function = sql.function("texts");
    assertThat(sql.text("SELECT " + function + "(k) FROM latin")).isEqualTo("1");
    assertThatThrownBy(() -> sql.text("SELECT " + function + "(b) FROM latin"))
        .as("no UTF-8")
        .hasMessageContaining("Incorrect string value");
  }
}
