package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/**
 * The address of the server, with the password of its account. It is stored in the format of the
 * clients' option files, so that {@code mariadb --defaults-file=client.cnf} can connect as well.
 *
 * <p>The address is a Unix domain socket in a directory that only its owner can write to. No other
 * account can put a server there, as it could on a free TCP port.
 */
record ServerAddress(Path socket, String password) {

  static final String USER = "slotbloom";
  static final String SCHEMA = "slotbloom";

  /** Creates an address with a new random password. */
  static ServerAddress of(Path socket) {
    byte[] secret = new byte[16];
    new SecureRandom().nextBytes(secret);
    return new ServerAddress(socket, HexFormat.of().formatHex(secret));
  }

  /**
   * Reads the address of the latest server on a socket. Empty if the file is missing or damaged, or
   * names another socket because an earlier version wrote it or it was copied from another home.
   */
  static Optional<ServerAddress> read(Path file, Path socket) {
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedDatabaseException("Cannot read " + file + ": " + e.getMessage(), e);
    }
    String password = properties.getProperty("password", "");
    return properties.getProperty("socket", "").equals(quoted(socket))
            && password.matches("[0-9a-f]{32}")
        ? Optional.of(new ServerAddress(socket, password))
        : Optional.empty();
  }

  /** Quotes the path: in an option file, an unquoted number sign starts a comment. */
  private static String quoted(Path socket) {
    return '"' + socket.toString() + '"';
  }

  void write(Path file) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    Home.writeSecret(
        unfinished,
        List.of(
            "[client]",
            "protocol=socket",
            "socket=" + quoted(socket),
            "user=" + USER,
            "password=" + password,
            // Clients that require TLS could not connect here. MySQL clients do not know this
            // option.
            "loose-skip-ssl"));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Returns the SQL that creates the account. The server runs it at each start before it accepts
   * connections.
   */
  List<String> accountSql() {
    String account = "'" + USER + "'@'localhost'";
    return List.of(
        "SET SESSION sql_log_bin = 0;",
        "CREATE DATABASE IF NOT EXISTS " + SCHEMA + " CHARACTER SET utf8mb4;",
        "DROP DATABASE IF EXISTS test;",
        // The account mariadb.sys owns the views of the system schema and cannot log in. The other
        // accounts could.
        "DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';",
        "FLUSH PRIVILEGES;",
        "CREATE USER " + account + " IDENTIFIED BY '" + password + "';",
        "GRANT ALL PRIVILEGES ON *.* TO " + account + ";");
  }

  String url() {
    return "jdbc:mysql://localhost/"
        + SCHEMA
        + "?sslMode=DISABLED&"
        + UnixSocketFactory.urlProperties(socket);
  }

  /** Returns true if the server accepts this account. */
  boolean answers() {
    try {
      DriverManager.getConnection(
              url() + "&connectTimeout=5000&socketTimeout=10000", USER, password)
          .close();
      return true;
    } catch (SQLException e) {
      // The caller need not tell apart a server that refuses, is still starting, or does not exist.
      return false;
    }
  }

  @Override
  public String toString() {
    return socket.toString();
  }
}
