package io.github.slotbloom.perf.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.stream.Stream;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.ExecConfig;
import org.testcontainers.mysql.MySQLContainer;

/** MySQL in a container, with the settings of the image except for those set here. */
final class MySqlContainer extends DatabaseServer {

  private static final String IMAGE = "mysql:9.7";
  private static final int PORT = 3306;

  private static final int MILLIS_TO_REACH_IT = 1000;

  private final MySQLContainer container;
  private final InetSocketAddress address;

  MySqlContainer(int bufferPoolMib) {
    String[] arguments =
        Stream.concat(
                Stream.of(DURABLE),
                Stream.of(
                    "--innodb-buffer-pool-size=" + bufferPoolMib + "M", "--max-connections=600"))
            .toArray(String[]::new);
    container =
        new MySQLContainer(IMAGE)
            .withUsername("root")
            // Testcontainers would otherwise configure 16 MB of memory and packets of 1 MB.
            .withConfigurationOverride(null)
            .withCommand(arguments);
    container.start();
    address = address();
  }

  /**
   * Returns the container's own address if this machine can reach it. Then no port-forwarding
   * process stands between, as none does for the peers.
   */
  private InetSocketAddress address() {
    InetSocketAddress forwarded =
        new InetSocketAddress(container.getHost(), container.getMappedPort(PORT));
    return container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
        .map(network -> new InetSocketAddress(network.getIpAddress(), PORT))
        .filter(MySqlContainer::isReached)
        .findFirst()
        .orElse(forwarded);
  }

  private static boolean isReached(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, MILLIS_TO_REACH_IT);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public DatabaseAccount account(String schema) {
    return new DatabaseAccount(
        url(address.getHostString(), address.getPort(), schema), "root", container.getPassword());
  }

  @Override
  public double clientSeconds(String schema, String query) throws Exception {
    String script =
        "begun=$(date +%s%N); mysql --user=root --quick --skip-column-names --execute=\"$QUERY\""
            + " \"$SCHEMA\" >/dev/null && echo $(($(date +%s%N) - begun))";
    ExecResult result =
        container.execInContainer(
            ExecConfig.builder()
                .command(new String[] {"sh", "-c", script})
                .envVars(
                    Map.of("QUERY", query, "SCHEMA", schema, "MYSQL_PWD", container.getPassword()))
                .build());
    if (result.getExitCode() != 0) {
      throw new IllegalStateException("The client failed: " + result.getStderr());
    }
    return Long.parseLong(result.getStdout().trim()) / 1e9;
  }

  @Override
  public void close() {
    container.stop();
  }
}
