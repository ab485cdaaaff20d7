package io.github.slotbloom.cli.embedded;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
  void theServerIsDurableAndOnlyItsOwnerCanReachIt() throws Exception {
    try (EmbeddedDatabase database = open()) {
      assertThat(
              query(
                  database,
                  "SELECT CONCAT_WS(' ', @@log_bin, @@sync_binlog,"
                      + " @@innodb_flush_log_at_trx_commit, @@skip_networking)"))
          .containsExactly("ON 1 1 ON");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
          .isEqualTo("rwx------");
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
  void theServerKeepsItsDataAndStartsAgainWithoutNotices() throws Exception {
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
  void anErrorSaysWhyTheServerDoesNotStart() throws Exception {
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

  /** The port that an earlier version kept may be anybody's by now. */
  @Test
  void aStrangerOnTheLastPortIsNotContacted() throws Exception {
    Files.createDirectory(directory.resolve("home"));
    Files.setPosixFilePermissions(
        directory.resolve("home"), PosixFilePermissions.fromString("rwx------"));
    try (ServerSocket impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.write(
          directory.resolve("home/client.cnf"),
          List.of(
              "[client]",
              "protocol=tcp",
              "host=127.0.0.1",
              "port=" + impostor.getLocalPort(),
              "user=slotbloom",
              "password=" + "0".repeat(32)));

      try (EmbeddedDatabase database = open()) {
        execute(database, "CREATE TABLE t (x INT)");
        assertThat(query(database, "SELECT @@datadir")).containsExactly(data() + "/");
      }

      impostor.setSoTimeout(1);
      assertThatThrownBy(impostor::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void aHomeOfAnotherAccountIsRefused() throws Exception {
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Path home = Files.createDirectory(directory.resolve("home"));
    Files.setAttribute(home, "unix:uid", 65534);

    assertThatThrownBy(this::open)
        .isInstanceOf(EmbeddedDatabaseException.class)
        .hasMessageContaining(home + " belongs to another account")
        .hasMessageContaining("--home");
  }

  @Test
  void aHomeWhoseSocketWouldHaveTooLongANameIsRefused() {
    Path home = directory.resolve("h".repeat(100));

    assertThatThrownBy(() -> EmbeddedDatabase.open(home, CACHE, notices::add))
        .isInstanceOf(EmbeddedDatabaseException.class)
        .hasMessageContaining(home + "/data/mysql.sock")
        .hasMessageContaining("takes 106")
        .hasMessageContaining("--home");
  }

  @Test
  void aCopyOfAHomeHasAServerOfItsOwn() throws Exception {
    try (EmbeddedDatabase database = open()) {
      execute(database, "CREATE TABLE t (x INT)");
      Path copy = Files.createDirectory(directory.resolve("copy"));
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
      Files.copy(directory.resolve("home/client.cnf"), copy.resolve("client.cnf"));

      try (EmbeddedDatabase other = EmbeddedDatabase.open(copy, CACHE, notices::add)) {
        assertThat(query(other, "SELECT @@datadir")).containsExactly(copy + "/data/");
      }
      assertThat(query(database, "SHOW TABLES")).containsExactly("t");
    }
  }

  @Test
  void aProgramWithTheArgumentsOfTheServerIsLeftAlone() throws Exception {
    Process innocent =
        start(
            "/bin/sh",
            "-c",
            "while read line; do :; done",
            "sh",
            "--datadir=" + data(),
            "--init-file=" + initFile());
    try {
      try (EmbeddedDatabase database = open()) {
        execute(database, "SELECT 1");
      }

      assertThat(innocent.isAlive()).isTrue();
    } finally {
      innocent.destroyForcibly().waitFor();
    }
  }

  /** It may even run the program of the server: nobody but its owner can. */
  @Test
  void aProcessOfAnotherAccountIsLeftAlone() throws Exception {
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Path open = Files.createTempDirectory("slotbloom-other-account");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path program = Files.copy(Path.of("/bin/sh"), open.resolve("mariadbd"), COPY_ATTRIBUTES);
    Process other =
        start(
            "setpriv",
            "--reuid=65534",
            "--clear-groups",
            program.toString(),
            "-c",
            "while read line; do :; done",
            "mariadbd",
            "--datadir=" + data(),
            "--init-file=" + initFile());
    try {
      await().until(() -> other.info().command().orElse("").equals(program.toString()));
      try (EmbeddedDatabase database = open()) {
        execute(database, "SELECT 1");
      }

      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor();
      Home.deleteRecursively(open);
    }
  }

  private Path data() {
    return directory.resolve("home/data");
  }

  private Path initFile() {
    return directory.resolve("home/init.sql");
  }

  private static Process start(String... command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
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
