package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a Unix domain socket, with the streams and timeouts of a {@link Socket}. The JDBC
 * driver requires a socket, but Java offers such connections only as channels.
 *
 * <p>Like a TCP socket in Java, it survives an interrupt of the thread that uses it. One thread may
 * read while another one writes, and any thread may close it.
 */
final class UnixSocket extends Socket {

  private final SocketChannel channel;
  private final Selector readable;
  private final Selector writable;
  private volatile int readTimeoutMillis;

  private UnixSocket(SocketChannel channel, Selector readable, Selector writable) {
    this.channel = channel;
    this.readable = readable;
    this.writable = writable;
  }

  /**
   * Connects, or fails at once.
   *
   * @throws ConnectException if no server listens there, or if it accepts no more connections now
   */
  static UnixSocket connect(Path path) throws IOException {
    UnixSocket socket =
        new UnixSocket(
            SocketChannel.open(StandardProtocolFamily.UNIX), Selector.open(), Selector.open());
    try {
      socket.begin(path);
      return socket;
    } catch (SocketException e) {
      socket.close();
      ConnectException failure =
          new ConnectException("No server answers on " + path + ": " + e.getMessage());
      failure.initCause(e);
      throw failure;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private void begin(Path path) throws IOException {
    // A blocking channel has no timeout, and an interrupt closes it.
    channel.configureBlocking(false);
    if (!channel.connect(UnixDomainSocketAddress.of(path))) {
      throw new ConnectException("it takes no more connections at the moment");
    }
    channel.register(readable, SelectionKey.OP_READ);
    channel.register(writable, SelectionKey.OP_WRITE);
  }

  @Override
  public InputStream getInputStream() {
    return new Input();
  }

  @Override
  public OutputStream getOutputStream() {
    return new Output();
  }

  @Override
  public synchronized void setSoTimeout(int millis) {
    readTimeoutMillis = millis;
  }

  @Override
  public synchronized int getSoTimeout() {
    return readTimeoutMillis;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  /** Closes the connection. A thread that waits on it gets an exception. */
  @Override
  public synchronized void close() throws IOException {
    try (channel;
        readable;
        writable) {
      // Java closes these in reverse order, and closes all of them even if one fails.
    }
  }

  /**
   * Waits until the channel is ready or closed.
   *
   * @param millis the longest wait in milliseconds; 0 waits without a limit
   */
  private static void await(Selector selector, int millis) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    try {
      boolean[] ready = {false};
      while (!ready[0]) {
        long left = 0;
        if (millis > 0) {
          // Rounded up, because 0 would wait forever.
          left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime() + 999_999);
          if (left <= 0) {
            throw new SocketTimeoutException("Read timed out");
          }
        }
        selector.select(key -> ready[0] = true, left);
        // A pending interrupt would end every wait of the selector, so it is cleared here.
        interrupted |= Thread.interrupted();
      }
    } catch (ClosedSelectorException e) {
      SocketException failure = new SocketException("Socket closed");
      failure.initCause(e);
      throw failure;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer into = ByteBuffer.wrap(bytes, offset, length);
      if (length == 0) {
        return 0;
      }
      int read = channel.read(into);
      while (read == 0) {
        await(readable, readTimeoutMillis);
        read = channel.read(into);
      }
      return read;
    }

    @Override
    public void close() throws IOException {
      UnixSocket.this.close();
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer from = ByteBuffer.wrap(bytes, offset, length);
      while (from.hasRemaining()) {
        if (channel.write(from) == 0) {
          await(writable, 0);
        }
      }
    }

    @Override
    public void close() throws IOException {
      UnixSocket.this.close();
    }
  }
}
