package io.github.slotbloom.testing;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.mysql.MySQLContainer;

/** MySQL in a container. Its data stay in the container when the server is killed. */
final class KillableMySql extends KillableServer {

  private static final String DATA = "/var/lib/mysql";
  private static final String BALLAST = DATA + "/ballast";

  private final MySQLContainer container;

  private KillableMySql(MySQLContainer container) throws Exception {
    super("mysql", address(container));
    this.container = container;
  }

  static KillableMySql create(String... arguments) throws Exception {
    return start(container(arguments));
  }

  /** Starts a server with its data in memory. They are lost when the container is killed. */
  static KillableMySql onSmallDisk(String... arguments) throws Exception {
    List<String> frugal = new ArrayList<>(Arrays.asList(arguments));
    frugal.add("--innodb-redo-log-capacity=8M");
    return start(container(frugal.toArray(String[]::new)).withTmpFs(Map.of(DATA, "rw,size=400m")));
  }

  private static KillableMySql start(MySQLContainer container) throws Exception {
    container.start();
    return new KillableMySql(container);
  }

  private static MySQLContainer container(String... arguments) {
    List<String> command = new ArrayList<>(Arrays.asList(TestDatabases.DURABLE));
    command.addAll(Arrays.asList(arguments));
    return TestDatabases.mysql()
        .withUsername(USER)
        .withPassword(PASSWORD)
        .withCommand(command.toArray(String[]::new));
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

  /** Containers reach each other where Docker puts them, and not at the ports of the host. */
  @Override
  public InetSocketAddress addressForServers() {
    String ip =
        container
            .getCurrentContainerInfo()
            .getNetworkSettings()
            .getNetworks()
            .get("bridge")
            .getIpAddress();
    return new InetSocketAddress(ip, TestDatabases.MYSQL_PORT);
  }

  @Override
  public void fillDisk() throws Exception {
    ExecResult filled = run("cat /dev/zero > " + BALLAST);
    if (!filled.getStderr().contains("No space left on device")) {
      throw new IllegalStateException("The disk is not full: " + filled);
    }
  }

  @Override
  public void freeDisk() throws Exception {
    run("rm " + BALLAST);
  }

  private ExecResult run(String command) throws Exception {
    return container.execInContainer("sh", "-c", command);
  }

  @Override
  void remove() {
    container.stop();
  }

  /** Returns the current address. A container may get another port at each start. */
  static InetSocketAddress address(MySQLContainer container) {
    String port =
        container
            .getCurrentContainerInfo()
            .getNetworkSettings()
            .getPorts()
            .getBindings()
            .entrySet()
            .stream()
            .filter(binding -> binding.getKey().getPort() == TestDatabases.MYSQL_PORT)
            .findFirst()
            .orElseThrow()
            .getValue()[0]
            .getHostPortSpec();
    return new InetSocketAddress(container.getHost(), Integer.parseInt(port));
  }
}
