package io.github.slotbloom.perf.server;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

/** The account and URL for one schema. */
public record DatabaseAccount(String url, String user, String password) {

  /** Statements are sent by name and values as binary numbers, which is the fastest way here. */
  public static final String PREPARED_BY_SERVER = "&useServerPrepStmts=true";

  public Connection connect() throws SQLException {
    return dataSource("").getConnection();
  }

  /** Connects with further parameters of the driver, such as {@code &a=b}. */
  public Connection connect(String parameters) throws SQLException {
    return dataSource(parameters).getConnection();
  }

  private DataSource dataSource(String parameters) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url + parameters);
    dataSource.setUser(user);
    dataSource.setPassword(password);
    return dataSource;
  }

  public HikariDataSource pool(int connections) {
    return pool(connections, "");
  }

  public HikariDataSource pool(int connections, String parameters) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url + parameters);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  /** Writes the account to a file for another process. */
  public void write(Path file) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("url", url);
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
  }

  public static DatabaseAccount read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    return new DatabaseAccount(
        properties.getProperty("url"),
        properties.getProperty("user"),
        properties.getProperty("password"));
  }

  InetSocketAddress address() {
    URI uri = uri();
    return new InetSocketAddress(uri.getHost(), uri.getPort());
  }

  /** {@return the same account of a server that is reached at another address} */
  DatabaseAccount at(InetSocketAddress other) {
    String here = "//" + uri().getAuthority() + "/";
    String there = "//" + other.getHostString() + ":" + other.getPort() + "/";
    return new DatabaseAccount(url.replace(here, there), user, password);
  }

  private URI uri() {
    return URI.create(url.substring("jdbc:".length()));
  }

  @Override
  public String toString() {
    return url;
  }
}
