package io.github.slotbloom.perf.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A longer line to a server: whatever is sent either way arrives later by the same time. What is
 * sent meanwhile does not wait for it, so the line is longer and not narrower.
 */
public final class DelayingProxy implements AutoCloseable {

  /** How late a parked thread may wake up. For that long a thread waits on its core instead. */
  private static final long LATE_NANOS = 100_000;

  private static final int BUFFER = 1 << 16;

  /** The sender has closed. */
  private static final byte[] END = {};

  private record Chunk(byte[] bytes, long dueNanos) {}

  private final InetSocketAddress target;
  private final long oneWayNanos;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /**
   * Opens a port on this machine.
   *
   * @param target the server that is farther away through this port
   * @param roundTrip the time that a lookup and its answer take longer, half of it each way
   */
  public DelayingProxy(InetSocketAddress target, Duration roundTrip) throws IOException {
    this.target = target;
    oneWayNanos = roundTrip.toNanos() / 2;
    door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    start("accept", this::accept);
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) door.getLocalSocketAddress();
  }

  private void accept() throws IOException {
    while (true) {
      Socket near = keep(door.accept());
      Socket far = keep(new Socket(target.getAddress(), target.getPort()));
      line(near, far);
      line(far, near);
    }
  }

  private Socket keep(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private void line(Socket from, Socket to) {
    BlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>();
    start("read", () -> read(from, underWay));
    start("write", () -> write(underWay, to));
  }

  private void read(Socket from, BlockingQueue<Chunk> underWay)
      throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        underWay.put(arriving(Arrays.copyOf(buffer, count)));
      }
    } finally {
      underWay.put(arriving(END));
    }
  }

  private Chunk arriving(byte[] bytes) {
    return new Chunk(bytes, System.nanoTime() + oneWayNanos);
  }

  private void write(BlockingQueue<Chunk> underWay, Socket to)
      throws IOException, InterruptedException {
    try (to) {
      OutputStream out = to.getOutputStream();
      while (true) {
        Chunk chunk = underWay.take();
        await(chunk.dueNanos());
        if (chunk.bytes() == END) {
          return;
        }
        out.write(chunk.bytes());
      }
    } finally {
      sockets.remove(to);
    }
  }

  private static void await(long dueNanos) {
    long left = dueNanos - System.nanoTime();
    while (left > 0) {
      if (left > LATE_NANOS) {
        LockSupport.parkNanos(left - LATE_NANOS);
      } else {
        Thread.onSpinWait();
      }
      left = dueNanos - System.nanoTime();
    }
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** A connection that breaks ends its threads, and its other side hears of it. */
  private static void start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // One of the two sides, or the proxy, was closed.
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "delaying-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Breaks all connections. */
  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
