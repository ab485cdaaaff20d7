package io.github.slotbloom.testing;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.testcontainers.mysql.MySQLContainer;

/** MySQL in a container; its data stay in the container when it is killed. */
final class KillableMySql extends KillableServer {

  private static final int PORT = 3306;

  private final MySQLContainer container;

  private KillableMySql(MySQLContainer container) throws Exception {
    super("mysql", address(container));
    this.container = container;
  }

  static KillableMySql create(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(Arrays.asList(TestDatabases.DURABLE));
    command.addAll(Arrays.asList(arguments));
    MySQLContainer container =
        new MySQLContainer(TestDatabases.MYSQL_IMAGE)
            .withUsername(USER)
            .withPassword(PASSWORD)
            .withConfigurationOverride(null)
            .withCommand(command.toArray(String[]::new));
    container.start();
    return new KillableMySql(container);
  }

  @Override
  void killProcess() {
    container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
  }

  @Override
  InetSocketAddress startProcess() {
    container.getDockerClient().startContainerCmd(container.getContainerId()).exec();
    return address(container);
  }

  @Override
  void remove() {
    container.stop();
  }

  /** A started container may have another port each time. */
  private static InetSocketAddress address(MySQLContainer container) {
    String port =
        container
            .getCurrentContainerInfo()
            .getNetworkSettings()
            .getPorts()
            .getBindings()
            .entrySet()
            .stream()
            .filter(binding -> binding.getKey().getPort() == PORT)
            .findFirst()
            .orElseThrow()
            .getValue()[0]
            .getHostPortSpec();
    return new InetSocketAddress(container.getHost(), Integer.parseInt(port));
  }
}
