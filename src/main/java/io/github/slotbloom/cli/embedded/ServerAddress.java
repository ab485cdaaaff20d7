package io.github.slotbloom.cli.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
 */
record ServerAddress(int port, String password) {

  static final String HOST = "127.0.0.1";
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  static final String USER = "slotbloom";
  static final String SCHEMA = "slotbloom";

  /** A port that is free at the moment, and a password that nobody knows. */
  static ServerAddress unused() {
    byte[] secret = new byte[16];
    new SecureRandom().nextBytes(secret);
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK))) {
      return new ServerAddress(socket.getLocalPort(), HexFormat.of().formatHex(secret));
    } catch (IOException e) {
      throw new UncheckedIOException("No free port on " + HOST + ": " + e.getMessage(), e);
    }
  }

  /**
   * The address that a server was started with last, or nothing if the file is missing or was
   * damaged.
   */
  static Optional<ServerAddress> read(Path file) {
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedDatabaseException("Cannot read " + file + ": " + e.getMessage(), e);
    }
    String port = properties.getProperty("port", "");
    String password = properties.getProperty("password", "");
    return port.matches("[0-9]{1,5}") && password.matches("[0-9a-f]{32}")
        ? Optional.of(new ServerAddress(Integer.parseInt(port), password))
        : Optional.empty();
  }

  void write(Path file) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    Home.writeSecret(
        unfinished,
        List.of(
            "[client]",
            "protocol=tcp",
            "host=" + HOST,
            "port=" + port,
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
    String account = "'" + USER + "'@'" + HOST + "'";
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

  /** TLS would only cost time here: the server listens on the loopback device alone. */
  String url() {
    return "jdbc:mysql://" + HOST + ":" + port + "/" + SCHEMA + "?sslMode=DISABLED";
  }

  /** Whether the server there lets this account in. */
  boolean answers() {
    try {
      DriverManager.getConnection(
              url() + "&connectTimeout=5000&socketTimeout=10000", USER, password)
          .close();
      return true;
    } catch (SQLException e) {
      // Refused, still starting, or another program on that port: for the caller it is all the
      // same.
      return false;
    }
  }

  @Override
  public String toString() {
    return HOST + ":" + port;
  }
}
