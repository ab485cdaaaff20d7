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
 * A server of a test's own that is killed and started again on the same data. Clients reach it
 * through a {@link FaultyNetwork}, at an address that stays.
 */
public abstract class KillableServer implements AutoCloseable {

  static final String USER = "root";
  static final String PASSWORD = "secret";

  private final FaultyNetwork network;
  private final List<FaultyNetwork> networks = new CopyOnWriteArrayList<>();
  private final TestDatabase database;
  private InetSocketAddress address;

  /** Takes over a server that runs. */
  KillableServer(String kind, InetSocketAddress address) throws Exception {
    this.address = address;
    network = anotherNetwork();
    awaitAnswer(address);
    database = new TestDatabase("killable " + kind, network.url(""), USER, PASSWORD, () -> {});
  }

  /**
   * Starts a durable server of the same kind as that one. A test is skipped on a server that is
   * given, since there is no other one like it.
   */
  public static KillableServer like(TestDatabase database, String... arguments) throws Exception {
    assumeFalse(database.isGiven(), () -> database.name() + " is not ours to kill");
    return database.isMariaDb()
        ? KillableMariaDb.create(arguments)
        : KillableMySql.create(arguments);
  }

  /**
   * As {@link #like}, with its data on a disk of its own that is small enough to be filled. A test
   * is skipped where no such disk can be had.
   */
  public static KillableServer onSmallDisk(TestDatabase database, String... arguments)
      throws Exception {
    assumeFalse(database.isGiven(), () -> database.name() + " is on a disk that is not ours");
    return database.isMariaDb()
        ? KillableMariaDb.onSmallDisk(arguments)
        : KillableMySql.onSmallDisk(arguments);
  }

  /** What clients come through. */
  public FaultyNetwork network() {
    return network;
  }

  /** One more, which fails independently of the others. */
  public final FaultyNetwork anotherNetwork() throws IOException {
    FaultyNetwork another = new FaultyNetwork(address);
    networks.add(another);
    return another;
  }

  /** The server as clients see it. */
  public TestDatabase database() {
    return database;
  }

  /** Ends the server at once, as a power failure of its process alone does. */
  public void kill() throws Exception {
    killProcess();
    networks.forEach(FaultyNetwork::cutAll);
  }

  /** Starts the server again on what it left, and waits until it answers. */
  public void start() throws Exception {
    address = startProcess();
    awaitAnswer(address);
    networks.forEach(n -> n.server(address));
  }

  /** Kills it, and starts it again. */
  public void crash() throws Exception {
    kill();
    start();
  }

  /** Takes all the room that is left on its small disk. */
  public abstract void fillDisk() throws Exception;

  /** Gives that room back. */
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
