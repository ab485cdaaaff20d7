package io.github.slotbloom.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The schema of one test. Closing it closes its pools and drops the schema and its accounts.
 * Closing fails if a pool still misses a connection.
 */
public final class TestSchema implements AutoCloseable {

  private final TestDatabase database;
  private final String name;
  private final TestAccount owner;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final List<TestAccount> accounts = new ArrayList<>();
  private final Map<Route, DataSource> detours = new HashMap<>();

  private record Route(String url, TestAccount account, Properties driver) {}

  TestSchema(TestDatabase database, String name) {
    this.database = database;
    this.name = name;
    this.owner = new TestAccount(database.user(), database.password());
  }

  public String name() {
    return name;
  }

  public TestDatabase database() {
    return database;
  }

  /** Returns the JDBC URL of this schema without an account. */
  public String url() {
    return database.url(name);
  }

  /** Returns the account with all privileges. */
  public TestAccount owner() {
    return owner;
  }

  /** Creates an account with privileges on this schema alone, such as {@code SELECT, INSERT}. */
  public TestAccount createAccount(String privileges) throws SQLException {
    String user = "t_" + UUID.randomUUID().toString().substring(0, 8);
    TestAccount account = new TestAccount(user, UUID.randomUUID().toString());
    database.execute(
        "CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + account.password() + "'",
        "GRANT " + privileges + " ON `" + name + "`.* TO '" + user + "'@'%'");
    accounts.add(account);
    return account;
  }

  /** Returns a data source that opens a new connection for every call, as the owner. */
  public DataSource dataSource() {
    return dataSource(owner);
  }

  /** Does the same without the detour of the database, if it has one. */
  public DataSource direct() {
    return database.dataSource(name, owner.user(), owner.password());
  }

  /** Returns a data source that opens a new connection for every call, as an account. */
  public DataSource dataSource(TestAccount account) {
    DataSource detour = detour(new Route(url(), account, new Properties()));
    return detour == null ? database.dataSource(name, account.user(), account.password()) : detour;
  }

  private synchronized @Nullable DataSource detour(Route wanted) {
    return detours.computeIfAbsent(
        wanted,
        route -> {
          try {
            return database.detour(route.url, name, route.account, route.driver);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Returns a pool with HikariCP's defaults, as the owner. */
  public HikariDataSource pool() {
    return pool(config -> {});
  }

  /**
   * Returns a pool as the owner with other settings, such as size, isolation level or autocommit.
   */
  public HikariDataSource pool(Consumer<HikariConfig> settings) {
    return pool(owner, settings);
  }

  /** Returns a pool for an account. */
  public HikariDataSource pool(TestAccount account, Consumer<HikariConfig> settings) {
    return pool(url(), account, settings);
  }

  private HikariDataSource pool(String url, TestAccount account, Consumer<HikariConfig> settings) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(account.user());
    config.setPassword(account.password());
    // The first connection may take its time, however little the pool waits for later ones.
    config.setInitializationFailTimeout(60_000);
    settings.accept(config);
    DataSource detour = detour(new Route(url, account, config.getDataSourceProperties()));
    if (detour != null) {
      config.setDataSource(detour);
    }
    HikariDataSource pool = new HikariDataSource(config);
    // It is one setting for the whole JVM, and pools set it to how long they wait themselves.
    DriverManager.setLoginTimeout(0);
    pools.add(pool);
    return pool;
  }

  /** Returns a pool as the owner that connects through a faulty network. */
  public HikariDataSource pool(FaultyNetwork network, Consumer<HikariConfig> settings) {
    return pool(network.url(name), owner, settings);
  }

  /**
   * Returns the slot tables of a filter, sorted.
   *
   * @param filter the name of the filter, or a regular expression
   */
  public List<String> slotTables(String filter) throws SQLException {
    return new Sql(dataSource())
        .texts(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
                + " AND table_name RLIKE ? ORDER BY table_name",
            name,
            "^bloom_bits_[0-9]+_" + filter + "_v[0-9]+$");
  }

  @Override
  public void close() throws SQLException {
    List<String> leaks = new ArrayList<>();
    for (HikariDataSource pool : pools) {
      if (!pool.isClosed() && pool.getHikariPoolMXBean().getActiveConnections() > 0) {
        leaks.add(pool.getHikariPoolMXBean().getActiveConnections() + " connections of " + pool);
      }
      pool.close();
    }
    for (DataSource detour : detours.values()) {
      try {
        detour.unwrap(AutoCloseable.class).close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    for (TestAccount account : accounts) {
      database.execute("DROP USER '" + account.user() + "'@'%'");
    }
    database.drop(name);
    if (!leaks.isEmpty()) {
      throw new AssertionError("Not given back: " + leaks);
    }
  }
}
