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
  void aServerIsDurableIsReachedByItsOwnerAndKeepsItsData() throws Exception {
    String first;
    try (EmbeddedDatabase database = open()) {
      first = database.password();
      assertThat(
              query(
                  database,
                  "SELECT CONCAT_WS(' ', @@log_bin, @@sync_binlog,"
                      + " @@innodb_flush_log_at_trx_commit, @@skip_networking,"
                      + " @@max_binlog_total_size, @@binlog_expire_logs_seconds,"
                      + " @@slave_connections_needed_for_purge)"))
          .containsExactly("ON 1 1 ON " + (256 << 20) + " 3600 0");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
          .isEqualTo("rwx------");
      assertThat(query(database, "SELECT User FROM mysql.global_priv ORDER BY User"))
          .containsExactly("mariadb.sys", "slotbloom");
      execute(database, "CREATE TABLE t (x INT)", "INSERT INTO t VALUES (42)");
      aCopyHasAServerOfItsOwn();
      assertThat(query(database, "SHOW TABLES")).containsExactly("t");
    }
    notices.clear();

    try (EmbeddedDatabase database = open()) {
      assertThat(query(database, "SELECT x FROM t")).containsExactly("42");
      assertThat(database.password()).hasSize(32).isNotEqualTo(first);
      assertThatThrownBy(() -> DriverManager.getConnection(database.url(), database.user(), first))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("Access denied");
    }
    assertThat(notices).isEmpty();

    Path tablespace = data().resolve("ibdata1");
    Files.write(tablespace, new byte[(int) Files.size(tablespace)]);
    assertThatThrownBy(this::open)
        .isInstanceOf(EmbeddedDatabaseException.class)
        .hasMessageContaining("[ERROR]")
        .hasMessageContaining(directory.resolve("home/server.log").toString());
  }

  private void aCopyHasAServerOfItsOwn() throws Exception {
    Path copy = privateDirectory("copy");
    Files.copy(directory.resolve("home/client.cnf"), copy.resolve("client.cnf"));
    try (EmbeddedDatabase other = EmbeddedDatabase.open(copy, CACHE, notices::add)) {
      assertThat(query(other, "SELECT @@datadir")).containsExactly(copy + "/data/");
    }
  }

  private Path privateDirectory(String name) throws IOException {
    Path made = Files.createDirectory(directory.resolve(name));
    return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
  }

  /**
   * The port that an earlier version kept may be anybody's by now, and so may be a process with the
   * arguments of the server. One of another account may even run its program: nobody but its owner
   * can.
   */
  @Test
  void strangersAreNeitherContactedNorEnded() throws Exception {
    Path home = privateDirectory("home");
    Process innocent = startStranger("/bin/sh", List.of());
    Path open = Files.createTempDirectory("slotbloom-other-account");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path program = Files.copy(Path.of("/bin/sh"), open.resolve("mariadbd"), COPY_ATTRIBUTES);
    boolean root = System.getProperty("user.name").equals("root");
    Process other =
        startStranger(
            root ? program.toString() : "/bin/sh",
            root ? List.of("setpriv", "--reuid=65534", "--clear-groups") : List.of());
    try (ServerSocket impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      await().until(() -> !root || other.info().command().orElse("").equals(program.toString()));
      Files.write(
          home.resolve("client.cnf"),
          List.of(
              "[client]",
              "protocol=tcp",
              "host=127.0.0.1",
              "port=" + impostor.getLocalPort(),
              "user=slotbloom",
              "password=" + "0".repeat(32)));

      try (EmbeddedDatabase database = open()) {
        assertThat(query(database, "SELECT @@datadir")).containsExactly(data() + "/");
      }

      impostor.setSoTimeout(1);
      assertThatThrownBy(impostor::accept).isInstanceOf(SocketTimeoutException.class);
      assertThat(innocent.isAlive()).isTrue();
      assertThat(other.isAlive()).isTrue();
    } finally {
      innocent.destroyForcibly().waitFor();
      other.destroyForcibly().waitFor();
      Home.deleteRecursively(open);
    }
  }

  private Process startStranger(String program, List<String> as) throws IOException {
    List<String> command = new ArrayList<>(as);
    command.addAll(List.of(program, "-c", "while read line; do :; done", "mariadbd"));
    command.addAll(List.of("--datadir=" + data(), "--init-file=" + initFile()));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
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
        .hasMessageContaining("allows 106")
        .hasMessageContaining("--home");
  }

  private Path data() {
    return directory.resolve("home/data");
  }

  private Path initFile() {
    return directory.resolve("home/init.sql");
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
