package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code serve} tells when it is ready, serves, and ends in order. */
@DatabaseContract(onOne = true)
@Tag("e2e")
class ServeCommandIT extends OnSchema {

  private static final Pattern READY =
      Pattern.compile("Ready for Redis clients on 127[.]0[.]0[.]1:([0-9]+)[.]\n");

  private static int port(Running serve) throws IOException {
    serve.awaitOutput(out -> READY.matcher(out).matches());
    Matcher ready = READY.matcher(Files.readString(serve.out()));
    assertThat(ready.matches()).isTrue();
    return Integer.parseInt(ready.group(1));
  }

  private static String ask(int port, String line) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        BufferedReader answers =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write((line + "\r\nQUIT\r\n").getBytes(UTF_8));
      StringBuilder all = new StringBuilder();
      answers.lines().forEach(answer -> all.append(answer).append(' '));
      return all.toString();
    }
  }

  @Test
  void aKeyThatAClientAddsIsThereForOtherCommands() throws Exception {
    Running serve = launcher.startInteractive("serve", "--port", "0");
    int port = port(serve);
    assertThat(ask(port, "BF.RESERVE served 0.01 1000")).isEqualTo("+OK +OK ");
    assertThat(ask(port, "BF.ADD served a")).isEqualTo(":1 +OK ");
    assertThat(slotbloom.out("exists served a")).isEqualTo("1\ta\n");
    assertThat(ask(port, "BF.ADD served a")).isEqualTo(":0 +OK ");
    serve.process().destroy();
    assertThat(serve.await().ended(143).err()).isEmpty();
  }

  @Test
  void aPasswordFromTheEnvironmentIsNeeded() throws Exception {
    Running serve =
        launcher
            .with("SLOTBLOOM_CLIENT_PASSWORD", "secret")
            .startInteractive("serve", "--port", "0");
    int port = port(serve);
    assertThat(ask(port, "DBSIZE")).isEqualTo("-NOAUTH Authentication required. +OK ");
    assertThat(ask(port, "AUTH secret\r\nPING")).isEqualTo("+OK +PONG +OK ");
    serve.process().destroy();
    assertThat(serve.await().ended(143).err()).isEmpty();
  }

  @Test
  void itWaitsForADatabaseThatIsAway() throws Exception {
    try (FaultyNetwork network = new FaultyNetwork(schema.database().address())) {
      network.refuse(true);
      Running serve =
          launcher
              .on(network.url(schema.name()), schema.owner())
              .startInteractive("serve", "--port", "0", "--timeout", "3");
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(() -> Files.readString(serve.err()).contains("LOADING until"));
      network.heal();
      assertThat(ask(port(serve), "PING")).isEqualTo("+PONG +OK ");
      serve.process().destroy();
      assertThat(serve.await().ended(143).err()).hasLineCount(1);
    }
  }

  @Test
  void whatCannotBeServedIsRefusedAtOnce() throws IOException {
    assertThat(slotbloom.error(2, "serve --host 0.0.0.0 --port 0")).contains("Set a password");
    assertThat(slotbloom.error(2, "serve --port 0 --tls-cert x.pem")).contains("--tls-key");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(slotbloom.error(1, "serve --port " + taken.getLocalPort()))
          .contains(
              "Cannot listen on port %s of 127.0.0.1: ".formatted(taken.getLocalPort()), "in use");
    }
  }
}
