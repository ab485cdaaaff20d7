package io.github.slotbloom.perf.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A server that was started for measurements, with durable settings. Subclasses know its address.
 * All users connect with the same driver in the same way.
 */
public abstract class DatabaseServer implements AutoCloseable {

  /** The settings that decide the cost of a commit and the memory of the server. */
  private static final List<String> TELLING =
      List.of(
          "version",
          "innodb_flush_log_at_trx_commit",
          "sync_binlog",
          "log_bin",
          "innodb_doublewrite",
          "innodb_buffer_pool_size",
          "innodb_flush_method");

  static final String[] DURABLE = {"--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1"};

  /**
   * All users connect without TLS. Their driver assumes that a session is not read-only, without
   * asking.
   */
  private static final String PARAMETERS =
      "?sslMode=DISABLED&allowPublicKeyRetrieval=true&useLocalSessionState=true";

  public static DatabaseServer start(DatabaseKind kind, int bufferPoolMib) throws Exception {
    DatabaseServer server =
        switch (kind) {
          case MYSQL -> new MySqlContainer(bufferPoolMib);
          case MARIADB -> new EmbeddedMariaDb(bufferPoolMib);
        };
    try {
      server.requireDurable();
      return server;
    } catch (SQLException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Lets the server's client program read the result of a query and discard it.
   *
   * @return the time in seconds, measured where the client runs
   */
  public abstract double clientSeconds(String schema, String query) throws Exception;

  public abstract DatabaseAccount account(String schema);

  static String url(String host, int port, String schema) {
    return "jdbc:mysql://" + host + ":" + port + "/" + schema + PARAMETERS;
  }

  /** Returns a schema, and creates it if it is missing. */
  public DatabaseAccount schema(String schema) throws SQLException {
    execute("CREATE DATABASE IF NOT EXISTS " + schema);
    return account(schema);
  }

  /** Returns an empty schema. An existing schema of that name is dropped. */
  public DatabaseAccount emptySchema(String schema) throws SQLException {
    execute("DROP DATABASE IF EXISTS " + schema, "CREATE DATABASE " + schema);
    return account(schema);
  }

  public void dropSchema(String schema) throws SQLException {
    execute("DROP DATABASE IF EXISTS " + schema);
  }

  /** Returns the size in bytes of the clustered index, which is the table. */
  public long tableBytes(String schema, String table) throws SQLException {
    execute("ANALYZE TABLE " + schema + "." + table);
    try (Connection connection = account("").connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT data_length FROM information_schema.tables"
                    + " WHERE table_schema = ? AND table_name = ?")) {
      // MySQL would otherwise answer from statistics that it keeps for a day.
      if (!Objects.requireNonNull(settings().get("version")).contains("MariaDB")) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("SET SESSION information_schema_stats_expiry = 0");
        }
      }
      select.setString(1, schema);
      select.setString(2, table);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private void execute(String... texts) throws SQLException {
    try (Connection connection = account("").connect();
        Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  /** Returns the version and the settings that decide the durability of a commit. */
  public Map<String, String> settings() throws SQLException {
    Map<String, String> settings = new LinkedHashMap<>();
    try (Connection connection = account("").connect();
        Statement statement = connection.createStatement()) {
      for (String name : TELLING) {
        try (ResultSet row = statement.executeQuery("SELECT @@GLOBAL." + name)) {
          row.next();
          settings.put(name, row.getString(1));
        }
      }
    }
    return settings;
  }

  private void requireDurable() throws SQLException {
    Map<String, String> settings = settings();
    if (!"1".equals(settings.get("innodb_flush_log_at_trx_commit"))
        || !"1".equals(settings.get("sync_binlog"))
        || !"1".equals(settings.get("log_bin"))) {
      throw new IllegalStateException("The server does not sync each commit: " + settings);
    }
  }

  /** Returns how durable a commit is. */
  public String durability() {
    return "each commit synced (redo and binary log)";
  }

  @Override
  public abstract void close() throws Exception;
}
