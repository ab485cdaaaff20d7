package io.github.slotbloom.testing;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A server of a test's own that is killed and started again on the same data. Clients reach it
 * through a {@link FaultyNetwork}, at an address that stays.
 */
public abstract class KillableServer implements AutoCloseable {

  static final String USER = "root";
  static final String PASSWORD = "secret";

  private final FaultyNetwork network;
  private final TestDatabase database;

  /** Takes over a server that runs. */
  KillableServer(String kind, InetSocketAddress address) throws Exception {
    network = new FaultyNetwork(address);
    awaitAnswer(address);
    database = new TestDatabase("killable " + kind, network.url(""), USER, PASSWORD, () -> {});
  }

  /** Starts a durable server of the same kind as that one. */
  public static KillableServer like(TestDatabase database, String... arguments) throws Exception {
    return database.isMariaDb()
        ? KillableMariaDb.create(arguments)
        : KillableMySql.create(arguments);
  }

  /** What clients come through. */
  public FaultyNetwork network() {
    return network;
  }

  /** The server as clients see it. */
  public TestDatabase database() {
    return database;
  }

  /** Ends the server at once, as a power failure of its process alone does. */
  public void kill() throws Exception {
    killProcess();
    network.cutAll();
  }

  /** Starts the server again on what it left, and waits until it answers. */
  public void start() throws Exception {
    InetSocketAddress address = startProcess();
    awaitAnswer(address);
    network.server(address);
  }

  /** Kills it, and starts it again. */
  public void crash() throws Exception {
    kill();
    start();
  }

  @Override
  public void close() throws Exception {
    network.close();
    remove();
  }

  abstract void killProcess() throws Exception;

  abstract InetSocketAddress startProcess() throws Exception;

  abstract void remove() throws Exception;

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
