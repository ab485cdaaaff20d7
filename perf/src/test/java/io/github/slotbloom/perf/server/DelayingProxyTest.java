package io.github.slotbloom.perf.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DelayingProxyTest {

  private static final Duration ROUND_TRIP = Duration.ofMillis(200);
  private static final int QUESTIONS = 50;

  @Test
  void anAnswerComesNoEarlierThanARoundTripLater() throws Exception {
    try (ServerSocket server = echo();
        DelayingProxy proxy = before(server);
        Socket socket = connect(proxy)) {
      long begun = System.nanoTime();
      socket.getOutputStream().write(7);

      assertThat(socket.getInputStream().read()).isEqualTo(7);
      assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(ROUND_TRIP.toNanos());
    }
  }

  /** Each lookup is answered a round trip after it was sent, not after the one before it. */
  @Test
  void whatIsSentMeanwhileDoesNotWait() throws Exception {
    try (ServerSocket server = echo();
        DelayingProxy proxy = before(server);
        Socket socket = connect(proxy)) {
      long begun = System.nanoTime();
      OutputStream lookups = socket.getOutputStream();
      for (int i = 0; i < QUESTIONS; i++) {
        lookups.write(i);
      }
      byte[] answers = socket.getInputStream().readNBytes(QUESTIONS);

      for (int i = 0; i < QUESTIONS; i++) {
        assertThat(answers[i]).isEqualTo((byte) i);
      }
      assertThat(System.nanoTime() - begun).isLessThan(QUESTIONS * ROUND_TRIP.toNanos());
    }
  }

  @Test
  void theEndOfOneSideIsTheEndOfTheOther() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        DelayingProxy proxy = before(server);
        Socket socket = connect(proxy)) {
      server.accept().close();

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static DelayingProxy before(ServerSocket server) throws IOException {
    return new DelayingProxy((InetSocketAddress) server.getLocalSocketAddress(), ROUND_TRIP);
  }

  private static Socket connect(DelayingProxy proxy) throws IOException {
    Socket socket = new Socket(proxy.address().getAddress(), proxy.address().getPort());
    socket.setTcpNoDelay(true);
    return socket;
  }

  /** A server that sends each byte of one connection back. */
  private static ServerSocket echo() throws IOException {
    ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    CompletableFuture.runAsync(
        () -> {
          try (Socket socket = server.accept();
              InputStream in = socket.getInputStream()) {
            in.transferTo(socket.getOutputStream());
          } catch (IOException e) {
            // The test is over.
          }
        });
    return server;
  }
}
