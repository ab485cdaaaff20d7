package io.github.slotbloom.perf.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A local redis-server that syncs before each answer. */
public final class RedisProcess implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Path directory;
  private final Process process;
  private final RedisAddress address;

  private RedisProcess(Path directory, Process process, RedisAddress address) {
    this.directory = directory;
    this.process = process;
    this.address = address;
  }

  /** Starts a server. Empty if no redis-server is installed. */
  public static Optional<RedisProcess> start() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("slotbloom-perf-redis");
    RedisAddress address = new RedisAddress("127.0.0.1", freePort());
    Process process;
    try {
      process =
          new ProcessBuilder(
                  "redis-server",
                  "--bind",
                  address.host(),
                  "--port",
                  Integer.toString(address.port()),
                  "--dir",
                  directory.toString(),
                  "--save",
                  "",
                  "--appendonly",
                  "yes",
                  "--appendfsync",
                  "always",
                  // The server would otherwise rewrite its file during the measurement.
                  "--auto-aof-rewrite-percentage",
                  "0")
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
    } catch (IOException e) {
      Directories.delete(directory);
      return Optional.empty();
    }
    RedisProcess started = new RedisProcess(directory, process, address);
    started.await();
    return Optional.of(started);
  }

  public RedisAddress address() {
    return address;
  }

  private void await() throws IOException, InterruptedException {
    long begun = System.nanoTime();
    while (true) {
      try (Jedis jedis = address.connect()) {
        jedis.ping();
        return;
      } catch (JedisConnectionException e) {
        if (!process.isAlive() || System.nanoTime() - begun > PATIENCE_NANOS) {
          throw new IllegalStateException(
              "redis-server does not answer: " + Files.readString(directory.resolve("log")), e);
        }
        Thread.sleep(50);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    process.waitFor();
    Directories.delete(directory);
  }
}
