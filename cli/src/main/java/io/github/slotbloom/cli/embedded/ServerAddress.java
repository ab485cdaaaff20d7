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
 * Where the server listens, and the account to use. Kept in the format of the clients' option
 * files, so that {@code mariadb --defaults-file=client.cnf} gets in as well.
 *
 * <p>It is a Unix domain socket in a directory that only its owner can write: no other account can
 * put a server there, as it could on a TCP port that is free at the moment.
 */
record ServerAddress(Path socket, String password) {

  static final String USER = "slotbloom";
  static final String SCHEMA = "slotbloom";

  /** With a password that nobody knows. */
  static ServerAddress of(Path socket) {
    byte[] secret = new byte[16];
    new SecureRandom().nextBytes(secret);
    return new ServerAddress(socket, HexFormat.of().formatHex(secret));
  }

  /**
   * The address that a server on that socket was started with last, or nothing if the file is
   * missing, was damaged, or tells of another place: an earlier version wrote it, or it was copied
   * from another home.
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

  /** In an option file the rest of a line is a comment otherwise, from a number sign on. */
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
            // Clients that want TLS would find none here; those of MySQL do not know the option.
            "loose-skip-ssl"));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * The statements that make the account; the server runs them each time before it lets anyone in.
   */
  List<String> accountSql() {
    String account = "'" + USER + "'@'localhost'";
    return List.of(
        "SET SESSION sql_log_bin = 0;",
        "CREATE DATABASE IF NOT EXISTS " + SCHEMA + " CHARACTER SET utf8mb4;",
        "DROP DATABASE IF EXISTS test;",
        // mariadb.sys owns the views of the system schema and cannot log in; the others could.
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

  /** Whether the server there lets this account in. */
  boolean answers() {
    try {
      DriverManager.getConnection(
              url() + "&connectTimeout=5000&socketTimeout=10000", USER, password)
          .close();
      return true;
    } catch (SQLException e) {
      // Refused, still starting, or not there: for the caller it is all the same.
      return false;
    }
  }

  @Override
  public String toString() {
    return socket.toString();
  }
}
