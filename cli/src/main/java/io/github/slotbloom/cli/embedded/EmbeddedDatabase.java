package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A MariaDB server that keeps its data in a directory of the user. Any number of processes share
 * it: the first one starts it, and the last one stops it.
 *
 * <p>Every process holds a shared lock on one file while it uses the server. The system releases
 * this lock however the process dies. So a kill -9 leaves at most a server without users, which the
 * next process finds and uses. Joining and leaving lock a second file, so that no process joins a
 * server that another one is about to stop.
 *
 * <p>A process can open a directory only once at a time.
 */
public final class EmbeddedDatabase implements AutoCloseable {

  private final Home home;
  private final Server server;
  private final FileChannel users;
  private final ServerAddress address;
  private boolean closed;

  private EmbeddedDatabase(Home home, Server server, FileChannel users, ServerAddress address) {
    this.home = home;
    this.server = server;
    this.users = users;
    this.address = address;
  }

  /**
   * Attaches to the server of a home, or starts it.
   *
   * @param directory the data directory; created if it is missing
   * @param cache the directory to unpack the server programs into, once for all homes
   * @param notices receives a message for each step that takes a while
   * @throws EmbeddedDatabaseException if no running server can be reached
   */
  public static EmbeddedDatabase open(Path directory, Path cache, Consumer<String> notices) {
    Binaries.requirePlatform();
    Home home = Home.at(directory);
    Server server = new Server(home, cache, notices);
    try (FileChannel gate = home.gate()) {
      gate.lock();
      FileChannel users = home.users();
      try {
        users.lock(0, Long.MAX_VALUE, true);
        return new EmbeddedDatabase(home, server, users, server.attachOrStart());
      } catch (IOException | InterruptedException | RuntimeException e) {
        users.close();
        throw e;
      }
    } catch (IOException e) {
      throw new EmbeddedDatabaseException(
          "Cannot start the embedded database in " + home.directory() + ": " + e, e);
    } catch (InterruptedException e) {
      throw interrupted("starting", e);
    }
  }

  /** Returns the command that runs the server's client. Callers can append arguments. */
  public List<String> clientCommand() {
    return server.clientCommand();
  }

  public String url() {
    return address.url();
  }

  public String user() {
    return ServerAddress.USER;
  }

  public String password() {
    return address.password();
  }

  /** Leaves the server, and stops it if no other process uses it. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (FileChannel gate = home.gate()) {
      gate.lock();
      users.close();
      try (FileChannel others = home.users()) {
        if (others.tryLock() != null) {
          server.stop();
        }
      }
    } catch (IOException e) {
      throw new EmbeddedDatabaseException(
          "Cannot stop the embedded database in " + home.directory() + ": " + e, e);
    } catch (InterruptedException e) {
      throw interrupted("stopping", e);
    }
  }

  private static EmbeddedDatabaseException interrupted(String doing, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new EmbeddedDatabaseException("Interrupted while " + doing + " the database.", e);
  }
}
