package io.github.slotbloom.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Unix domain socket behaves as a TCP socket of Java does. */
@Timeout(180)
class UnixSocketTest {

  @TempDir Path directory;

  private Path path;
  private ServerSocketChannel server;
  private UnixSocket socket;
  private SocketChannel other;

  @BeforeEach
  void connect() throws IOException {
    path = directory.resolve("s");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    socket = UnixSocket.connect(path);
    other = server.accept();
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    other.close();
    server.close();
  }

  @Test
  void aSocketCarriesMoreBytesThanTheSystemHolds() throws Exception {
    byte[] sent = new byte[5_000_000];
    new Random(1).nextBytes(sent);
    CompletableFuture<byte[]> echo =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Channels.newInputStream(other).readNBytes(sent.length);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });

    socket.getOutputStream().write(sent[0]);
    socket.getOutputStream().write(sent, 1, sent.length - 1);

    assertThat(echo.join()).isEqualTo(sent);
  }

  @Test
  void aReadReturnsTheBytesThatAreThereAndThenTheEnd() throws Exception {
    other.write(ByteBuffer.wrap(new byte[] {-1, 2, 3}));
    other.close();

    InputStream input = socket.getInputStream();
    assertThat(input.read()).isEqualTo(255);
    assertThat(input.read(new byte[9], 4, 0)).isZero();
    byte[] bytes = new byte[9];
    assertThat(input.read(bytes, 4, 5)).isEqualTo(2);
    assertThat(bytes).containsExactly(0, 0, 0, 0, 2, 3, 0, 0, 0);
    assertThat(input.read(bytes)).isEqualTo(-1);
    assertThat(input.read()).isEqualTo(-1);
  }

  @Test
  void aReadEndsWithItsTimeOutAndMayBeRepeated() throws Exception {
    socket.setSoTimeout(20);

    assertThatThrownBy(() -> socket.getInputStream().read())
        .isExactlyInstanceOf(SocketTimeoutException.class);

    other.write(ByteBuffer.wrap(new byte[] {7}));
    assertThat(socket.getInputStream().read()).isEqualTo(7);
    assertThat(socket.getSoTimeout()).isEqualTo(20);
  }

  @Test
  void anInterruptNeitherEndsAReadNorGetsLost() throws Exception {
    AtomicReference<Object> read = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                read.set(
                    socket.getInputStream().read() + " " + Thread.currentThread().isInterrupted());
              } catch (IOException e) {
                read.set(e);
              }
            });
    reader.start();
    await().until(() -> reader.getState() == Thread.State.RUNNABLE);
    reader.interrupt();
    await().until(() -> !reader.isInterrupted());

    other.write(ByteBuffer.wrap(new byte[] {7}));
    reader.join();

    assertThat(read.get()).isEqualTo("7 true");
    assertThat(socket.isClosed()).isFalse();
  }

  @Test
  void closingEndsAReadOfAnotherThread() throws Exception {
    CompletableFuture<Throwable> failure =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return new AssertionError("read " + socket.getInputStream().read());
              } catch (IOException e) {
                return e;
              }
            });

    socket.close();

    assertThat(failure.join()).isInstanceOf(IOException.class);
    assertThat(socket.isClosed()).isTrue();
    assertThatThrownBy(() -> socket.getOutputStream().write(1)).isInstanceOf(IOException.class);
  }

  @Test
  void anErrorNamesTheSocketThatDoesNotAnswer() throws Exception {
    server.close();

    assertThatThrownBy(() -> UnixSocket.connect(path))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(path.toString())
        .hasCauseInstanceOf(SocketException.class);
    assertThatThrownBy(() -> UnixSocket.connect(directory.resolve("none")))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(directory.resolve("none").toString());
  }
}
