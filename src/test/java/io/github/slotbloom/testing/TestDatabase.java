package io.github.slotbloom.testing;

import ch.vorburger.exec.ManagedProcessException;
import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database server for contract tests, with an account that has all privileges. */
public final class TestDatabase implements AutoCloseable {

  /** Stops a server. */
  interface Stop {
    void stop() throws IOException, ManagedProcessException;
  }

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

  private static final Pattern URL = Pattern.compile("(jdbc:mysql://[^/?]+)(?:/[^?]*)?(\\?.*)?");

  private final String name;
  private final boolean mariaDb;
  private final boolean given;
  private final String server;
  private final String urlParameters;
  private final String user;
  private final String password;
  private final Stop stop;
  private final @Nullable Instant clock;
  private final @Nullable Detour detour;
  private final @Nullable TestDatabase neighbor;
  private final AtomicInteger tests = new AtomicInteger();
  private int place;
  private int databases = 1;

  TestDatabase(String kind, String url, String user, String password, Stop stop)
      throws SQLException {
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Not a URL like jdbc:mysql://host:port/: " + url);
    }
    server = matcher.group(1);
    urlParameters = matcher.group(2) == null ? "" : matcher.group(2);
    this.user = user;
    this.password = password;
    this.stop = stop;
    clock = null;
    detour = null;
    neighbor = null;
    String version = text("SELECT VERSION()");
    mariaDb = version.contains("MariaDB");
    given = kind.equals(TestDatabases.GIVEN);
    name = kind + " " + version.replaceFirst("-.*", "");
  }

  private TestDatabase(TestDatabase running, Instant clock) throws SQLException {
    server = running.server;
    String more = "sessionVariables=timestamp=" + clock.getEpochSecond();
    urlParameters = running.urlParameters + (running.urlParameters.isEmpty() ? "?" : "&") + more;
    user = running.user;
    password = running.password;
    stop = () -> {};
    this.clock = clock;
    detour = running.detour;
    neighbor = running.neighbor;
    mariaDb = running.mariaDb;
    given = running.given;
    name = running.name + " at " + clock;
    String now = text("SELECT CAST(UTC_TIMESTAMP(3) AS CHAR)");
    if (!now.equals(DATETIME.format(clock))) {
      throw new IllegalStateException(
          "The clock of " + name + " was not set: it says " + now + " UTC.");
    }
  }

  private TestDatabase(TestDatabase running, TestDatabase neighbor, Detour detour) {
    server = running.server;
    urlParameters = running.urlParameters;
    user = running.user;
    password = running.password;
    stop =
        () -> {
          neighbor.close();
          running.close();
        };
    clock = null;
    mariaDb = running.mariaDb;
    given = running.given;
    name = running.name.replaceFirst("[^ ]*", detour.name());
    this.detour = detour;
    this.neighbor = neighbor;
  }

  /**
   * Returns the same server behind other software that also knows a neighbor of it, and closes
   * both. Each schema exists on both, and must stay empty there.
   */
  TestDatabase behind(Detour theDetour, TestDatabase itsNeighbor) {
    return new TestDatabase(this, itsNeighbor, theDetour);
  }

  /**
   * Returns the same server with a stopped clock in all its sessions. It lives as long as this one.
   *
   * @param when the time, in whole seconds
   */
  TestDatabase at(Instant when) throws SQLException {
    return new TestDatabase(this, when);
  }

  /** Makes this database one of several that share the tests that run on one of them. */
  void share(int itsPlace, int ofDatabases) {
    place = itsPlace;
    databases = ofDatabases;
  }

  /**
   * Returns true if a test of which one run is enough runs on this database. Each number has one
   * such database, and where {@code slotbloom.test.long} is true, all are.
   */
  public boolean takes(int number) {
    return DatabaseContract.LONG || Math.floorMod(number, databases) == place;
  }

  /** Returns the fixed time of each session, or null if the clock runs. */
  @Nullable Instant clock() {
    return clock;
  }

  /** Returns the kind and the version of the server, such as {@code mysql 9.7.0}. */
  public String name() {
    return name;
  }

  /** Returns true if the server existed before the tests. */
  public boolean isGiven() {
    return given;
  }

  public boolean isMariaDb() {
    return mariaDb;
  }

  /** Returns connections without a schema, for the account with all privileges. */
  public DataSource admin() {
    return dataSource("", user, password);
  }

  /** Creates an empty schema with a new name. */
  public TestSchema createSchema() throws SQLException {
    return createSchema(List.of());
  }

  /**
   * Works like {@link #createSchema()}, and the schema has the tables and views. They are made
   * without Flyway, which takes many times as long.
   */
  public TestSchema createMigratedSchema() throws SQLException {
    return createSchema(Sql.statements(SlotBloom.schemaSql()));
  }

  private TestSchema createSchema(List<String> contents) throws SQLException {
    String schema = "slotbloom_test_" + UUID.randomUUID().toString().replace('-', '_');
    List<String> statements = new ArrayList<>(List.of("CREATE DATABASE " + schema));
    if (!contents.isEmpty()) {
      statements.add("USE " + schema);
      statements.addAll(contents);
    }
    execute(statements.toArray(String[]::new));
    if (neighbor != null) {
      neighbor.execute("CREATE DATABASE " + schema);
    }
    return new TestSchema(this, schema);
  }

  @Override
  public void close() throws IOException, ManagedProcessException {
    stop.stop();
  }

  /** Returns the text for the summary, such as {@code mysql 9.7.0 (12 tests)}. */
  @Override
  public String toString() {
    return name + " (" + tests + " tests)";
  }

  void countTest() {
    tests.incrementAndGet();
  }

  String url(String schema) {
    return server + "/" + schema + urlParameters;
  }

  /** Returns the address that the server listens on. */
  public InetSocketAddress address() {
    URI uri = URI.create(server.substring("jdbc:".length()));
    return new InetSocketAddress(uri.getHost(), uri.getPort());
  }

  String user() {
    return user;
  }

  String password() {
    return password;
  }

  /**
   * Returns connections that take the detour, if there is one, or null.
   *
   * @param url that of the schema, or one that leads there by a network
   * @param driver settings of the driver
   */
  @Nullable DataSource detour(String url, String schema, TestAccount account, Properties driver)
      throws SQLException {
    return detour == null || neighbor == null
        ? null
        : detour.to(pool(url, account, driver), neighbor.poolFor(schema, neighbor.owner()));
  }

  /** Returns a server that knows the same schemas, and must not get tables in them, or null. */
  public @Nullable TestDatabase neighbor() {
    return neighbor;
  }

  /** Returns a pool that leads straight to this server, and connects only when it must. */
  public HikariDataSource poolFor(String schema, TestAccount account) {
    return pool(url(schema), account, new Properties());
  }

  private static HikariDataSource pool(String url, TestAccount account, Properties driver) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(account.user());
    config.setPassword(account.password());
    config.setDataSourceProperties(driver);
    config.setMinimumIdle(0);
    config.setMaximumPoolSize(100);
    return new HikariDataSource(config);
  }

  TestAccount owner() {
    return new TestAccount(user, password);
  }

  /** Drops a schema. */
  void drop(String schema) throws SQLException {
    execute("DROP DATABASE " + schema);
    if (neighbor != null) {
      List<String> strays =
          new Sql(neighbor.admin())
              .texts(
                  "SELECT table_name FROM information_schema.tables WHERE table_schema = ?",
                  schema);
      neighbor.execute("DROP DATABASE " + schema);
      if (!strays.isEmpty()) {
        throw new AssertionError("Tables on the other server: " + strays);
      }
    }
  }

  DataSource dataSource(String schema, String asUser, String itsPassword) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url(schema));
    dataSource.setUser(asUser);
    dataSource.setPassword(itsPassword);
    return dataSource;
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = admin().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private String text(String sql) throws SQLException {
    try (Connection connection = admin().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
