package io.github.slotbloom.cli.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.embedded.EmbeddedDatabase;
import io.github.slotbloom.cli.terminal.Connectivity;
import io.github.slotbloom.cli.terminal.Messages;
import io.github.slotbloom.cli.terminal.Narrator;
import io.github.slotbloom.error.SchemaException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The connection to the database during one command. */
public final class Session implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final Duration MOST_FOR_A_CONNECTION = Duration.ofSeconds(5);

  /** A server waits 5 to 6 seconds for a lock, and then says so. */
  private static final Duration LEAST_FOR_AN_ANSWER = Duration.ofSeconds(7);

  private static final Duration MOST_FOR_AN_ANSWER = Duration.ofSeconds(20);

  /** A server that is down refuses a connection sooner. One that takes longer is busy. */
  private static final Duration SLOW = Duration.ofSeconds(1);

  private static final String ANSWER_LIMIT = "socketTimeout";
  private static final long PAUSE_NANOS = Duration.ofMillis(300).toNanos();

  /**
   * The seconds that the server waits for a client that reads no rows. A client with a low rate
   * needs long pauses.
   */
  private static final String SECONDS_FOR_A_SLOW_READER = "604800";

  private final @Nullable EmbeddedDatabase embedded;
  private final JdbcUrl url;
  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private final Duration timeout;
  private boolean abandoned;

  private Session(
      @Nullable EmbeddedDatabase embedded,
      JdbcUrl url,
      HikariDataSource pool,
      SlotBloom bloom,
      Duration timeout) {
    this.embedded = embedded;
    this.url = url;
    this.pool = pool;
    this.bloom = bloom;
    this.timeout = timeout;
  }

  /**
   * Connects.
   *
   * @param acknowledgesKeys as for {@link Narrator}
   */
  public static Session open(DatabaseOptions options, boolean acknowledgesKeys, Messages messages) {
    return open(options, acknowledgesKeys, CONNECTIONS, messages);
  }

  /**
   * Connects for a command that may use many filters.
   *
   * @param acknowledgesKeys as for {@link Narrator}
   * @param connections at most
   */
  public static Session open(
      DatabaseOptions options, boolean acknowledgesKeys, int connections, Messages messages) {
    Duration timeout = options.timeout();
    SlotBloomListener listener = new Narrator(timeout, acknowledgesKeys, messages);
    JdbcUrl url = options.url();
    if (url != null) {
      return connect(null, url, timeout, connections, listener);
    }
    EmbeddedDatabase embedded =
        EmbeddedDatabase.open(options.home(), options.cache(), messages::notice);
    try {
      JdbcUrl own =
          new JdbcUrl(
              Account.FILTERS, embedded.url(), embedded.user(), embedded.password(), Map.of());
      return connect(embedded, own, timeout, connections, listener);
    } catch (RuntimeException e) {
      embedded.close();
      throw e;
    }
  }

  private static Session connect(
      @Nullable EmbeddedDatabase embedded,
      JdbcUrl url,
      Duration timeout,
      int connections,
      SlotBloomListener listener) {
    // All users of these connections are ours, and they leave a session as they found it.
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("useLocalSessionState", "true");
    properties.put("cacheServerConfiguration", "true");
    if (url.servers().size() == 1 && !url.address().contains(ANSWER_LIMIT)) {
      // Until a connection is made, nothing else ends the wait for a server that lets it in and
      // says no more.
      properties.put(ANSWER_LIMIT, String.valueOf(mostForAnAnswer(timeout).toMillis()));
    }
    HikariConfig config = config(url, timeout, properties);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    HikariDataSource pool = connect(config, url, timeout);
    try {
      return new Session(
          embedded, url, pool, SlotBloom.builder(pool).listener(listener).build(), timeout);
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  public SlotBloom bloom() {
    return bloom;
  }

  /** Returns the options to open filters with. */
  public FilterOptions options() {
    return FilterOptions.defaults().timeout(timeout);
  }

  /**
   * Runs an action that needs the tables. The embedded database creates them if they are missing.
   */
  public <T> T withTables(Supplier<T> action) {
    return withTables(embedded != null, action);
  }

  /** Runs an action without a result, as {@link #withTables(Supplier)} does. */
  public void withTables(Runnable action) {
    withTables(
        () -> {
          action.run();
          return true;
        });
  }

  /**
   * Runs an action that creates something. It creates the tables in any database if they are
   * missing.
   */
  public <T> T makingTables(Supplier<T> action) {
    return withTables(true, action);
  }

  /** Makes or updates the tables. Another process that does so is waited for until the timeout. */
  public void migrate() {
    bloom.migrate(timeout);
  }

  private <T> T withTables(boolean mayMake, Supplier<T> action) {
    try {
      return action.get();
    } catch (SchemaException e) {
      if (!mayMake) {
        throw e;
      }
      // If the tables exist, another process made them meanwhile, or something else is missing,
      // such as a privilege: then the action fails once more.
      if (!bloom.isMigrated()) {
        migrate();
      }
      return action.get();
    }
  }

  /**
   * Connects for a query that supplies the keys of a filter.
   *
   * @param source the database to query; null for the database of this session
   */
  public HikariDataSource source(@Nullable JdbcUrl source) {
    JdbcUrl asked = source == null ? url : source;
    // Text arrives as UTF-8, so a key has the same bytes as in a file or in a program's String.
    HikariConfig config =
        config(
            asked,
            timeout,
            Map.of(
                "characterSetResults",
                "UTF-8",
                "netTimeoutForStreamingResults",
                SECONDS_FOR_A_SLOW_READER));
    config.setMaximumPoolSize(1);
    return connect(config, asked, timeout);
  }

  /**
   * Makes {@link #close} not wait for work on a database that does not answer. The end of the
   * process ends that work.
   */
  public void abandon() {
    abandoned = true;
  }

  @Override
  public void close() {
    if (abandoned) {
      if (embedded != null) {
        embedded.close();
      }
      return;
    }
    try (embedded;
        pool) {
      bloom.close();
    }
  }

  private static HikariConfig config(JdbcUrl url, Duration timeout, Map<String, String> ours) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("slotbloom");
    // Several attempts fit into the timeout, so the cause of the failure is known when it ends.
    long attempt = Math.min(timeout.toMillis() / 3, MOST_FOR_A_CONNECTION.toMillis());
    config.setConnectionTimeout(attempt);
    Map<String, String> properties = new LinkedHashMap<>(url.secrets());
    properties.putAll(ours);
    if (url.servers().size() > 1) {
      config.setDataSource(primaryOf(url, timeout, properties, attempt / url.servers().size()));
      return config;
    }
    config.setJdbcUrl(url.address());
    config.setUsername(url.user());
    config.setPassword(url.password());
    properties.forEach(config::addDataSourceProperty);
    return config;
  }

  /** The driver itself would connect to the first server that answers. */
  private static PrimaryDataSource primaryOf(
      JdbcUrl url, Duration timeout, Map<String, String> properties, long connectMillis) {
    List<MysqlDataSource> servers = new ArrayList<>();
    for (String address : url.servers()) {
      int query = address.indexOf('?');
      StringJoiner parameters = new StringJoiner("&", "?", "");
      // What the URL says comes after these, and so wins.
      parameters.add("connectTimeout=" + connectMillis);
      parameters.add("socketTimeout=" + connectMillis);
      if (query >= 0) {
        parameters.add(address.substring(query + 1));
      }
      properties.forEach((name, value) -> parameters.add(encoded(name) + "=" + encoded(value)));
      MysqlDataSource server = new MysqlDataSource();
      server.setUrl((query < 0 ? address : address.substring(0, query)) + parameters);
      server.setUser(url.user());
      server.setPassword(url.password());
      servers.add(server);
    }
    return new PrimaryDataSource(
        servers, timeout.compareTo(MOST_FOR_AN_ANSWER) < 0 ? timeout : MOST_FOR_AN_ANSWER);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private static Duration mostForAnAnswer(Duration timeout) {
    Duration wanted = timeout.multipliedBy(2).dividedBy(3);
    return wanted.compareTo(LEAST_FOR_AN_ANSWER) < 0
        ? LEAST_FOR_AN_ANSWER
        : wanted.compareTo(MOST_FOR_AN_ANSWER) > 0 ? MOST_FOR_AN_ANSWER : wanted;
  }

  private static HikariDataSource connect(HikariConfig config, JdbcUrl url, Duration timeout) {
    long begun = System.nanoTime();
    while (true) {
      long attempted = System.nanoTime();
      try {
        return new HikariDataSource(config);
      } catch (PoolInitializationException e) {
        if (!mayBeTriedAgain(e, url, timeout, begun, attempted)) {
          throw cannotConnect(url, e);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private static boolean mayBeTriedAgain(
      PoolInitializationException failure,
      JdbcUrl url,
      Duration timeout,
      long begun,
      long attempted) {
    boolean limit = Connectivity.isLimitReached(failure);
    if (!limit && !Connectivity.isLost(failure)) {
      return false;
    }
    long now = System.nanoTime();
    long left = timeout.toNanos() - (now - begun);
    // Several servers may be between two primaries. A server at a limit says so at once.
    return (limit || url.servers().size() > 1)
        ? left > 0
        : now - attempted >= SLOW.toNanos() && left >= mostForAnAnswer(timeout).toNanos();
  }

  private static CommandException cannotConnect(JdbcUrl url, PoolInitializationException e) {
    return new CommandException(
        Connectivity.mayPass(e) ? ExitCode.UNREACHABLE : ExitCode.FAILURE,
        "Cannot connect to "
            + url.shown()
            + (url.user() == null ? "" : " as " + url.user())
            + " ("
            + Connectivity.describe(e)
            + "); "
            + (url.user() == null && !Connectivity.mayPass(e) && !Connectivity.lacksPublicKey(e)
                ? "there is no user: set "
                    + url.account().userVariable()
                    + ", or use "
                    + url.account().user()
                    + "."
                : remedy(e)),
        e);
  }

  private static String remedy(PoolInitializationException failure) {
    if (Connectivity.lacksPublicKey(failure)) {
      return "encrypt the connection (sslMode=REQUIRED in the URL), or add"
          + " allowPublicKeyRetrieval=true to the URL if you trust the network.";
    }
    return Connectivity.isLimitReached(failure)
        ? "try again later, or raise the limit that the message names."
        : "check the address and the account, and that the server is running.";
  }
}
