package io.github.slotbloom.testing;

import java.io.IOException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Servers that hold the same data and take part in each other's commits. They can be killed,
 * frozen, cut off from each other and brought back. They are numbered from 0. Clients reach each
 * one at an address that does not change, also when the others do not.
 *
 * <p>Servers that get too little of the processor are taken for failed by the others. So tests of
 * them have the tag {@code cluster}: they run after all others. And a server is taken away only
 * when all take part, which is waited for: two that lost the third have no majority without each
 * other.
 */
public interface KillableServers extends AutoCloseable {

  /** Returns a data source of each server, as its administrator. */
  List<DataSource> dataSources();

  /** Returns the network between the clients and a server. */
  FaultyNetwork clients(int number);

  /** Ends a server at once. */
  void kill(int number) throws Exception;

  /** Stops the processes of a server where they are. */
  void freeze(int number) throws Exception;

  /** Lets a frozen server go on. */
  void thaw(int number) throws Exception;

  /** Cuts a server off from the others. Clients still reach it. */
  void cutOff(int number) throws Exception;

  /** Undoes {@link #cutOff}. {@link #join} may be needed as well. */
  void reconnect(int number) throws Exception;

  /** Starts a server whose process runs no more, and waits until it takes part again. */
  void restart(int number) throws Exception;

  /** Has a running server take part again, and waits until it does. */
  void join(int number) throws Exception;

  /** Waits until the other servers go on without this one. */
  void awaitWithout(int number) throws Exception;

  /** Returns true if all servers take part. */
  boolean isWhole();

  @Override
  void close() throws IOException;
}
