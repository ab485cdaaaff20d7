package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A MariaDB server that keeps its data in a directory of the user, and that any number of processes
 * share: the first one starts it, the last one out stops it.
 *
 * <p>Every process holds a shared lock on one file while it uses the server. The system drops it
 * when the process dies, however it dies, so a kill -9 leaves nothing behind but a server without
 * users, which the next process finds and uses. Joining and leaving hold the lock on a second file,
 * so that nobody joins a server that somebody is about to stop.
 *
 * <p>One process may open a directory once at a time.
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
   * Attaches to the server of that home, or starts it.
   *
   * @param directory where the data is; made if it is missing
   * @param cache where the programs of the server are unpacked, once for all homes
   * @param notices is told what takes a while
   * @throws EmbeddedDatabaseException if there is no way to a running server
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

  /** The command line's client of that server, to which its own arguments can be added. */
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

  /** Leaves the server, and stops it if nobody else uses it. Closing again does nothing. */
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
