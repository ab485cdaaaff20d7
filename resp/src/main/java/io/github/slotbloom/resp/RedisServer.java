package io.github.slotbloom.resp;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.resp.command.CommandSettings;
import io.github.slotbloom.resp.command.Commands;
import io.github.slotbloom.resp.command.Database;
import io.github.slotbloom.resp.command.Password;
import io.github.slotbloom.resp.command.Sessions;
import io.github.slotbloom.resp.command.Statistics;
import io.github.slotbloom.resp.filter.Lanes;
import io.github.slotbloom.resp.protocol.RequestLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets any Redis client use the filters in a database, with the commands of RedisBloom: {@code
 * BF.ADD}, {@code BF.EXISTS} and the like. A key of Redis is the name of a filter here. Filters
 * that are made this way have keys of the type {@link KeyType#text()}, so programs in Java share
 * them. docs/redis-clients.md says what is the same as in Redis, and what is not.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.builder(bloom).port(6379).start()) {
 *   server.awaitClose();
 * }
 * }</pre>
 *
 * <p>Thread-safe. The {@link SlotBloom} stays open when the server is closed.
 */
public final class RedisServer implements AutoCloseable {

  /** Lanes that wait for the database at the same time. */
  private static final int LANE_THREADS = 64;

  /** Commands about whole filters that do. */
  private static final int CALL_THREADS = 32;

  private static final int MOST_NETWORK_THREADS = 4;

  /** As many as Redis allows. */
  private static final int MOST_WORDS = 1 << 20;

  private final ThreadPoolExecutor laneThreads = threads("slotbloom-lane", LANE_THREADS);
  private final ThreadPoolExecutor callThreads = threads("slotbloom-call", CALL_THREADS);
  private final Statistics statistics = new Statistics();
  private final Duration timeout;
  private final Sessions sessions;
  private final Lanes lanes;
  private final Acceptor acceptor;
  private final EventLoopGroup network;
  private final Channel listening;
  private boolean closed;

  private RedisServer(Builder builder) throws IOException {
    timeout = builder.timeout;
    InetSocketAddress address = builder.address();
    Database database = new Database(builder.bloom, callThreads, laneThreads);
    sessions = new Sessions(builder.password, builder.maxClients);
    lanes =
        new Lanes(
            database::get,
            FilterOptions.defaults().timeout(timeout),
            laneThreads,
            System::nanoTime);
    Commands commands =
        new Commands(
            new CommandSettings(
                builder.defaultCapacity, builder.allowFlush, builder.maxRequestBytes),
            database,
            lanes,
            sessions,
            statistics,
            () -> address().getPort());
    acceptor =
        new Acceptor(
            commands,
            sessions,
            new RequestLimits(MOST_WORDS, KeyType.MAX_KEY_BYTES, builder.maxRequestBytes),
            builder.tls,
            builder.idleTimeout);
    network =
        new MultiThreadIoEventLoopGroup(
            Math.min(MOST_NETWORK_THREADS, Runtime.getRuntime().availableProcessors()),
            new DefaultThreadFactory("slotbloom-network"),
            NioIoHandler.newFactory());
    listening = listen(address);
    var unused =
        network
            .next()
            .scheduleAtFixedRate(
                () -> callThreads.execute(lanes::closeIdle), 1, 1, TimeUnit.MINUTES);
  }

  private Channel listen(InetSocketAddress address) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(network)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(acceptor)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      network.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
      throw new IOException(
          "Cannot listen on port %s of %s: %s"
              .formatted(address.getPort(), address.getHostString(), bound.cause().getMessage()),
          bound.cause());
    }
    return bound.channel();
  }

  /**
   * Begins to describe a server.
   *
   * @param bloom where the filters are; the application closes it after the server
   * @return a builder with the defaults
   */
  public static Builder builder(SlotBloom bloom) {
    return builder(CompletableFuture.completedFuture(Objects.requireNonNull(bloom, "bloom")));
  }

  /**
   * Begins to describe a server that may be started before its database. Until the future is
   * completed, commands that need the database are answered {@code -LOADING}.
   *
   * @param bloom where the filters are, once it is completed
   * @return a builder with the defaults
   */
  public static Builder builder(CompletableFuture<SlotBloom> bloom) {
    return new Builder(Objects.requireNonNull(bloom, "bloom"));
  }

  /** {@return where the server listens} */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /** {@return what the server did since it was started} */
  public Counts counts() {
    return new Counts(
        sessions.count(),
        sessions.opened(),
        statistics.commands(),
        statistics.errors(),
        statistics.seconds(),
        lanes.openFilters());
  }

  /**
   * What a server did since it was started. INFO tells the same.
   *
   * @param clients that are connected now
   * @param connections of all clients
   * @param commands that were answered
   * @param errors those of them that were answered with an error
   * @param seconds the sum of the times from the beginning of each command to its answer
   * @param openFilters that are in memory now
   */
  public record Counts(
      long clients,
      long connections,
      long commands,
      long errors,
      double seconds,
      long openFilters) {}

  /**
   * Waits until the server is closed.
   *
   * @throws InterruptedException if the thread was interrupted meanwhile
   */
  public void awaitClose() throws InterruptedException {
    listening.closeFuture().await();
  }

  /**
   * Lets nobody in anymore, answers what has come, for as long as a call may take at most, and
   * closes the connections and the filters. Closing again waits for that.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      listening.close().awaitUninterruptibly();
      acceptor.close(timeout);
      network.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
      laneThreads.shutdown();
      callThreads.shutdown();
      lanes.close();
    }
  }

  private static ThreadPoolExecutor threads(String name, int most) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most,
            most,
            60,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory(name, true));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Describes a {@link RedisServer}. Not thread-safe. */
  public static final class Builder {
    private final CompletableFuture<SlotBloom> bloom;
    private String host = "127.0.0.1";
    private int port = 6379;
    private @Nullable Password password;
    private @Nullable SslContext tls;
    private int maxClients = 1000;
    private long maxRequestBytes = 64L << 20;
    private long defaultCapacity = 256;
    private boolean allowFlush;
    private Duration idleTimeout = Duration.ofHours(1);
    private Duration timeout = Duration.ofSeconds(10);

    private Builder(CompletableFuture<SlotBloom> bloom) {
      this.bloom = bloom;
    }

    /**
     * Sets the address to listen on. The default is 127.0.0.1; any other than that of the machine
     * itself needs a {@link #password}.
     *
     * @param host a name or an address; 0.0.0.0 for all
     * @return this
     */
    public Builder host(String host) {
      this.host = Objects.requireNonNull(host, "host");
      return this;
    }

    /**
     * Sets the port to listen on. The default is 6379, that of Redis.
     *
     * @param port from 0, which takes a free one, to 65535
     * @return this
     */
    public Builder port(int port) {
      requireRange("The port", port, 0, 65_535);
      this.port = port;
      return this;
    }

    /**
     * Sets the password that clients have to give with AUTH or HELLO. Until then they may send
     * little, and stay for ten seconds.
     *
     * @param password not empty
     * @return this
     * @throws InvalidParameterException if it is empty
     */
    public Builder password(String password) {
      if (password.isEmpty()) {
        throw new InvalidParameterException("The password is empty. Set a longer one.");
      }
      this.password = new Password(password);
      return this;
    }

    /**
     * Encrypts connections.
     *
     * @param certificates a PEM file with the certificate of the server, and those that lead to it
     * @param key a PEM file with its private key, in the format PKCS#8, without a password
     * @return this
     * @throws InvalidParameterException if the files cannot be read or do not belong together
     */
    public Builder tls(Path certificates, Path key) {
      try {
        tls = SslContextBuilder.forServer(certificates.toFile(), key.toFile()).build();
      } catch (IOException | IllegalArgumentException e) {
        throw new InvalidParameterException(
            ("The certificate %s and the key %s cannot be used: %s. Use PEM files, with the"
                    + " key as PKCS#8.")
                .formatted(certificates, key, e.getMessage()));
      }
      return this;
    }

    /**
     * Sets how many clients may be connected at a time. The default is 1,000. Each takes some
     * kilobytes, and some megabytes while it sends more than is carried out.
     *
     * @param clients at least 1
     * @return this
     */
    public Builder maxClients(int clients) {
      requireRange("The number of clients", clients, 1, Integer.MAX_VALUE);
      this.maxClients = clients;
      return this;
    }

    /**
     * Sets how large a request may be, all its words together. The default is 64 MiB. A larger one
     * is refused before it is read, and ends the connection. A word has 1 MiB at most.
     *
     * @param bytes at least 65,536
     * @return this
     */
    public Builder maxRequestBytes(long bytes) {
      requireRange("The size of a request", bytes, 65_536, Long.MAX_VALUE);
      this.maxRequestBytes = bytes;
      return this;
    }

    /**
     * Sets the capacity of filters that are created because a key is added to them. The default is
     * 256 keys; they grow.
     *
     * @param keys from 1 to 2^30
     * @return this
     */
    public Builder defaultCapacity(long keys) {
      requireRange("The capacity", keys, 1, 1 << 30);
      this.defaultCapacity = keys;
      return this;
    }

    /**
     * Lets clients drop all filters at once, with FLUSHDB.
     *
     * @return this
     */
    public Builder allowFlush() {
      this.allowFlush = true;
      return this;
    }

    /**
     * Sets after which silence a client is gone. The default is an hour.
     *
     * @param silence zero for any
     * @return this
     */
    public Builder idleTimeout(Duration silence) {
      this.idleTimeout = Objects.requireNonNull(silence, "silence");
      return this;
    }

    /**
     * Sets how long a command may wait for the database, and {@link RedisServer#close} for
     * commands. The default is 10 seconds.
     *
     * @param timeout as for {@link FilterOptions#timeout}
     * @return this
     */
    public Builder timeout(Duration timeout) {
      this.timeout = FilterOptions.defaults().timeout(timeout).timeout();
      return this;
    }

    /**
     * Starts the server.
     *
     * @return a server that listens
     * @throws InvalidParameterException if others than this machine could reach it, and need no
     *     password
     * @throws IOException if it cannot listen there
     */
    public RedisServer start() throws IOException {
      return new RedisServer(this);
    }

    private InetSocketAddress address() throws IOException {
      InetAddress where = InetAddress.getByName(host);
      if (!where.isLoopbackAddress() && password == null) {
        throw new InvalidParameterException(
            "Other machines can reach the address %s. Set a password, or listen on 127.0.0.1."
                .formatted(host));
      }
      return new InetSocketAddress(where, port);
    }

    private static void requireRange(String what, long value, long least, long most) {
      if (value < least || value > most) {
        throw new InvalidParameterException(
            "%s is %s. Use a number from %s to %s.".formatted(what, value, least, most));
      }
    }
  }
}
