package io.github.slotbloom.testing;

import ch.vorburger.exec.ManagedProcessException;
import com.mysql.cj.jdbc.MysqlDataSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A database server that contract tests run on, and an account there that may do everything. */
public final class TestDatabase implements AutoCloseable {

  /** Stops a server. */
  interface Stop {
    void stop() throws IOException, ManagedProcessException;
  }

  private static final Pattern URL = Pattern.compile("(jdbc:mysql://[^/?]+)(?:/[^?]*)?(\\?.*)?");

  private final String name;
  private final boolean mariaDb;
  private final boolean given;
  private final String server;
  private final String urlParameters;
  private final String user;
  private final String password;
  private final Stop stop;
  private final AtomicInteger tests = new AtomicInteger();

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
    String version = version();
    mariaDb = version.contains("MariaDB");
    given = kind.equals(TestDatabases.GIVEN);
    name = kind + " " + version.replaceFirst("-.*", "");
  }

  /** The kind of the server and its version, such as {@code mysql 9.7.0}. */
  public String name() {
    return name;
  }

  /** Whether it was there before the tests. */
  public boolean isGiven() {
    return given;
  }

  public boolean isMariaDb() {
    return mariaDb;
  }

  /** Connects with no schema chosen, as the account that may do everything. */
  public DataSource admin() {
    return dataSource("", user, password);
  }

  /** Makes an empty schema with a name that was never used before. */
  public TestSchema createSchema() throws SQLException {
    String schema = "slotbloom_test_" + UUID.randomUUID().toString().replace('-', '_');
    execute("CREATE DATABASE " + schema);
    return new TestSchema(this, schema);
  }

  @Override
  public void close() throws IOException, ManagedProcessException {
    stop.stop();
  }

  /** For the summary: {@code mysql 9.7.0 (12 tests)}. */
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

  /** Where the server listens. */
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

  private String version() throws SQLException {
    try (Connection connection = admin().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT VERSION()")) {
      row.next();
      return row.getString(1);
    }
  }
}
