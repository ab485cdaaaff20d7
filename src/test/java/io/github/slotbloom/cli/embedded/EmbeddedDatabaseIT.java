package io.github.slotbloom.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseIT {

  private static final Path CACHE = Path.of("target", "test-cache", "slotbloom").toAbsolutePath();

  @TempDir Path directory;

  private final List<String> notices = new ArrayList<>();

  @Test
  void isDurableAndReachableFromThisMachineAlone() throws Exception {
    try (EmbeddedDatabase database = open()) {
      assertThat(
              query(
                  database,
                  "SELECT CONCAT_WS(' ', @@log_bin, @@sync_binlog,"
                      + " @@innodb_flush_log_at_trx_commit, @@bind_address)"))
          .containsExactly("ON 1 1 127.0.0.1");
      assertThat(query(database, "SELECT User FROM mysql.global_priv ORDER BY User"))
          .containsExactly("mariadb.sys", "slotbloom");
    }
  }

  @Test
  void binaryLogsDoNotPileUp() throws Exception {
    try (EmbeddedDatabase database = open()) {
      assertThat(
              query(
                  database,
                  "SELECT CONCAT_WS(' ', @@max_binlog_total_size, @@binlog_expire_logs_seconds,"
                      + " @@slave_connections_needed_for_purge)"))
          .containsExactly((256 << 20) + " 3600 0");
    }
  }

  @Test
  void keepsItsDataAndTellsOnlyWhatTakesAWhile() throws Exception {
    try (EmbeddedDatabase database = open()) {
      execute(database, "CREATE TABLE t (x INT)", "INSERT INTO t VALUES (42)");
    }
    notices.clear();

    try (EmbeddedDatabase database = open()) {
      assertThat(query(database, "SELECT x FROM t")).containsExactly("42");
    }
    assertThat(notices).isEmpty();
  }

  @Test
  void eachServerHasAPasswordOfItsOwn() {
    String first;
    try (EmbeddedDatabase database = open()) {
      first = database.password();
    }
    try (EmbeddedDatabase database = open()) {
      assertThat(database.password()).hasSize(32).isNotEqualTo(first);
      assertThatThrownBy(() -> DriverManager.getConnection(database.url(), database.user(), first))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("Access denied");
    }
  }

  @Test
  void saysWhyTheServerDoesNotStart() throws Exception {
    try (EmbeddedDatabase database = open()) {
      execute(database, "SELECT 1");
    }
    Path tablespace = directory.resolve("home/data/ibdata1");
    Files.write(tablespace, new byte[(int) Files.size(tablespace)]);

    assertThatThrownBy(this::open)
        .isInstanceOf(EmbeddedDatabaseException.class)
        .hasMessageContaining("[ERROR]")
        .hasMessageContaining(directory.resolve("home/server.log").toString());
  }

  private EmbeddedDatabase open() {
    return EmbeddedDatabase.open(directory.resolve("home"), CACHE, notices::add);
  }

  private static void execute(EmbeddedDatabase database, String... statements) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> query(EmbeddedDatabase database, String sql) throws SQLException {
    List<String> column = new ArrayList<>();
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        column.add(rows.getString(1));
      }
    }
    return column;
  }

  private static Connection connect(EmbeddedDatabase database) throws SQLException {
    return DriverManager.getConnection(database.url(), database.user(), database.password());
  }
}
