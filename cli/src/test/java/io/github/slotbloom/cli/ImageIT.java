package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.Checkout;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.mysql.MySQLContainer;

/**
 * The container image. {@code SLOTBLOOM_IMAGE_BASE} names another base than the {@code Dockerfile},
 * for machines that cannot download it.
 */
@Tag("e2e")
@Tag("published")
class ImageIT {

  private static final String IMAGE = "slotbloom:test";
  private static final String SERVER = "mysql";
  private static final String ACCOUNT = "slotbloom";
  private static final String CLIENT_PASSWORD = "say \"hush\"";
  private static final int PORT = 6379;

  @TempDir static Path directory;

  private static Slotbloom slotbloom;

  @BeforeAll
  static void build() throws Exception {
    slotbloom = new Slotbloom(directory);
    assumeThat(slotbloom.shell("docker info").exitCode()).as("Docker").isZero();
    String base =
        Optional.ofNullable(System.getenv("SLOTBLOOM_IMAGE_BASE"))
            .map(name -> " --build-arg BASE=" + name)
            .orElse("");
    slotbloom
        .shell("docker build --tag " + IMAGE + base + " '" + Checkout.file("") + "'")
        .succeeded();
  }

  @Test
  void commandsRunWithoutTheRightsOfRoot() throws Exception {
    assertThat(run("", "--version").succeeded().out()).isEqualTo(Version.ofJar() + "\n");
    assertThat(run("--entrypoint id", "-u").succeeded().out()).isEqualTo("10001\n");
    assertThat(run("--entrypoint touch", "/opt/slotbloom/lib/mine").exitCode()).isNotZero();
  }

  @Test
  void theImageHasNoEmbeddedDatabaseAndSaysSo() throws Exception {
    assertThat(run("", "list --home /tmp/home").failed(1).err())
        .contains("no embedded database", "--url");
  }

  @Test
  void theServerBecomesHealthyAndAnswers() throws Exception {
    try (Network network = Network.newNetwork();
        MySQLContainer mysql = mysql(network);
        GenericContainer<?> server = server(network)) {
      mysql.start();
      server.start();

      assertThat(answers(server, "AUTH \"say \\\"hush\\\"\"", "PING", "BF.ADD names ann"))
          .containsExactly("+OK", "+PONG", ":1");
      assertThat(
              server
                  .execInContainer(
                      "sh",
                      "-c",
                      "printf 'a\\nb\\na\\n' | /opt/slotbloom/bin/slotbloom dedup letters --capacity 9")
                  .getStdout())
          .isEqualTo("a\nb\n");
    }
  }

  private static MySQLContainer mysql(Network network) {
    return new MySQLContainer("mysql:9.7")
        .withNetwork(network)
        .withNetworkAliases(SERVER)
        .withDatabaseName(ACCOUNT)
        .withUsername(ACCOUNT)
        .withPassword(ACCOUNT);
  }

  private static GenericContainer<?> server(Network network) {
    return new GenericContainer<>(IMAGE)
        .withNetwork(network)
        .withEnv("SLOTBLOOM_URL", "jdbc:mysql://" + SERVER + "/" + ACCOUNT)
        .withEnv("SLOTBLOOM_USER", ACCOUNT)
        .withEnv("SLOTBLOOM_PASSWORD", ACCOUNT)
        .withEnv("SLOTBLOOM_CLIENT_PASSWORD", CLIENT_PASSWORD)
        .withCommand("serve", "--host", "0.0.0.0")
        .withExposedPorts(PORT)
        .waitingFor(Wait.forHealthcheck());
  }

  private static List<String> answers(GenericContainer<?> server, String... requests)
      throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getMappedPort(PORT));
        BufferedReader answers =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write((String.join("\r\n", requests) + "\r\nQUIT\r\n").getBytes(UTF_8));
      return answers.lines().limit(requests.length).toList();
    }
  }

  private static Result run(String options, String command) throws Exception {
    return slotbloom.shell("docker run --rm " + options + " " + IMAGE + " " + command);
  }
}
