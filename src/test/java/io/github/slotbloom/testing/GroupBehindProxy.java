package io.github.slotbloom.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A group as clients see it behind a proxy that knows the primary: each network leads new
 * connections there. Connections to a primary that failed stay as long as its process lives, so it
 * is up to the clients to find out. Closing this leaves the group as it is.
 */
public final class GroupBehindProxy implements FailingDatabase {

  private enum Failure {
    KILLED,
    FROZEN,
    CUT_OFF
  }

  private final KillableGroup group;
  private final Random random;
  private final List<FaultyNetwork> networks = new CopyOnWriteArrayList<>();
  private final TestDatabase database;

  /**
   * @param random chooses how a primary fails
   */
  public GroupBehindProxy(KillableGroup group, Random random) throws Exception {
    this.group = group;
    this.random = random;
    database =
        new TestDatabase(
            "group of mysql",
            anotherNetwork().url(""),
            KillableServer.USER,
            KillableServer.PASSWORD,
            () -> {});
  }

  @Override
  public TestDatabase database() {
    return database;
  }

  @Override
  public FaultyNetwork anotherNetwork() throws IOException {
    FaultyNetwork another = new FaultyNetwork(group.address(group.primary()));
    networks.add(another);
    return another;
  }

  @Override
  public void fail(Runnable pause) {
    int primary = group.primary();
    Failure failure = Failure.values()[random.nextInt(Failure.values().length)];
    switch (failure) {
      case KILLED -> group.kill(primary);
      case FROZEN -> group.freeze(primary);
      case CUT_OFF -> group.cutOff(primary);
    }
    InetSocketAddress next = group.address(group.primaryBut(primary));
    networks.forEach(network -> network.server(next));
    pause.run();
    System.out.println("The primary " + primary + " was " + failure);
    switch (failure) {
      case KILLED -> group.restart(primary);
      case FROZEN -> group.thaw(primary);
      case CUT_OFF -> group.reconnect(primary);
    }
    group.join(primary);
  }

  @Override
  public void close() throws IOException {
    for (FaultyNetwork network : networks) {
      network.close();
    }
  }
}
