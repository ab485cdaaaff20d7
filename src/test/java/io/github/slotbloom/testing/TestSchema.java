package io.github.slotbloom.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A schema of a test's own. Closing it closes its pools, and drops it with its accounts; it fails
 * if a pool is still missing a connection then.
 */
public final class TestSchema implements AutoCloseable {

  private final TestDatabase database;
  private final String name;
  private final TestAccount owner;
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final List<TestAccount> accounts = new ArrayList<>();

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

  /** The JDBC URL of this schema, without an account. */
  public String url() {
    return database.url(name);
  }

  /** The account that may do everything. */
  public TestAccount owner() {
    return owner;
  }

  /**
   * Makes an account with these privileges on this schema alone, such as {@code SELECT, INSERT}.
   */
  public TestAccount createAccount(String privileges) throws SQLException {
    String user = "t_" + UUID.randomUUID().toString().substring(0, 8);
    TestAccount account = new TestAccount(user, UUID.randomUUID().toString());
    database.execute(
        "CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + account.password() + "'",
        "GRANT " + privileges + " ON `" + name + "`.* TO '" + user + "'@'%'");
    accounts.add(account);
    return account;
  }

  /** Opens a new connection for every call, as the owner. */
  public DataSource dataSource() {
    return dataSource(owner);
  }

  /** Opens a new connection for every call. */
  public DataSource dataSource(TestAccount account) {
    return database.dataSource(name, account.user(), account.password());
  }

  /** A pool with HikariCP's defaults, as the owner. */
  public HikariDataSource pool() {
    return pool(config -> {});
  }

  /** A pool as the owner, with other settings: its size, isolation level, autocommit. */
  public HikariDataSource pool(Consumer<HikariConfig> settings) {
    return pool(owner, settings);
  }

  /** A pool for an account. */
  public HikariDataSource pool(TestAccount account, Consumer<HikariConfig> settings) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url());
    config.setUsername(account.user());
    config.setPassword(account.password());
    settings.accept(config);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** A pool as the owner whose connections go through that network. */
  public HikariDataSource pool(FaultyNetwork network, Consumer<HikariConfig> settings) {
    return pool(
        config -> {
          config.setJdbcUrl(network.url(name));
          settings.accept(config);
        });
  }

  /**
   * The slot tables of a filter, sorted.
   *
   * @param filter its name, or a pattern as LIKE takes it
   */
  public List<String> slotTables(String filter) throws SQLException {
    return new Sql(dataSource())
        .texts(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
                + " AND table_name LIKE ? ORDER BY table_name",
            name,
            "bloom\\_bits\\_" + filter + "\\_v%");
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
    for (TestAccount account : accounts) {
      database.execute("DROP USER '" + account.user() + "'@'%'");
    }
    database.execute("DROP DATABASE " + name);
    if (!leaks.isEmpty()) {
      throw new AssertionError("Not given back: " + leaks);
    }
  }
}
