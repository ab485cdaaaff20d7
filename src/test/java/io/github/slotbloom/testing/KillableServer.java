package io.github.slotbloom.testing;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server for one test that can be killed and restarted on the same data. Clients reach it through
 * a {@link FaultyNetwork}, at an address that does not change.
 */
public abstract class KillableServer implements FailingDatabase {

  static final String USER = "root";
  static final String PASSWORD = "secret";

  private final FaultyNetwork network;
  private final List<FaultyNetwork> networks = new CopyOnWriteArrayList<>();
  private final TestDatabase database;
  private InetSocketAddress address;

  /** Wraps a running server. */
  KillableServer(String kind, InetSocketAddress address) throws Exception {
    this.address = address;
    network = anotherNetwork();
    awaitAnswer(address);
    database = new TestDatabase("killable " + kind, network.url(""), USER, PASSWORD, () -> {});
  }

  /**
   * Starts a durable server of the same kind as a test database. Skips the test if the database was
   * given from outside, because no other server is like it.
   */
  public static KillableServer like(TestDatabase database, String... arguments) throws Exception {
    assumeFalse(database.isGiven(), () -> database.name() + " is not ours to kill");
    return database.isMariaDb()
        ? KillableMariaDb.create(arguments)
        : KillableMySql.create(arguments);
  }

  /**
   * Works like {@link #like}, with the data on a small disk that a test can fill. Skips the test if
   * no such disk is available.
   */
  public static KillableServer onSmallDisk(TestDatabase database, String... arguments)
      throws Exception {
    assumeFalse(database.isGiven(), () -> database.name() + " is on a disk that is not ours");
    return database.isMariaDb()
        ? KillableMariaDb.onSmallDisk(arguments)
        : KillableMySql.onSmallDisk(arguments);
  }

  /** Returns the network that clients use. */
  public FaultyNetwork network() {
    return network;
  }

  @Override
  public final FaultyNetwork anotherNetwork() throws IOException {
    FaultyNetwork another = new FaultyNetwork(address);
    networks.add(another);
    return another;
  }

  @Override
  public TestDatabase database() {
    return database;
  }

  /** Ends the server at once, as a crash of its process does. */
  public void kill() throws Exception {
    killProcess();
    networks.forEach(FaultyNetwork::cutAll);
  }

  /** Restarts the server on its existing data, and waits until it answers. */
  public void start() throws Exception {
    address = startProcess();
    awaitAnswer(address);
    networks.forEach(n -> n.server(address));
  }

  /** Kills the server and restarts it. */
  public void crash() throws Exception {
    fail(() -> {});
  }

  @Override
  public void fail(Runnable pause) throws Exception {
    kill();
    pause.run();
    start();
  }

  /** Fills the rest of the small disk. */
  public abstract void fillDisk() throws Exception;

  /** Frees that space again. */
  public abstract void freeDisk() throws Exception;

  @Override
  public void close() throws IOException {
    for (FaultyNetwork each : networks) {
      each.close();
    }
    remove();
  }

  abstract void killProcess() throws Exception;

  abstract InetSocketAddress startProcess() throws Exception;

  abstract void remove() throws IOException;

  /** Returns where another server of the same kind reaches this one. */
  public abstract InetSocketAddress addressForServers();

  private static void awaitAnswer(InetSocketAddress address) {
    String url = "jdbc:mysql://" + address.getHostString() + ":" + address.getPort() + "/";
    await()
        .atMost(ofMinutes(2))
        .pollInterval(ofMillis(50))
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(
            () -> {
              try (Connection connection = DriverManager.getConnection(url, USER, PASSWORD)) {
                return connection.isValid(1);
              }
            });
  }
}
