package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.UnsupportedVersionException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.SQLDialect;

/**
 * The kind and version of a server, and the names of its settings.
 *
 * @param mariaDb true if it is MariaDB, false if it is MySQL
 * @param text the text that the server returns as its version
 */
public record ServerVersion(boolean mariaDb, int major, int minor, int patch, String text) {

  /** The first version with a row alias for INSERT. docs/servers.md lists what else is needed. */
  private static final int[] OLDEST_MYSQL = {8, 0, 19};

  /** The first version with SKIP LOCKED. */
  private static final int[] OLDEST_MARIADB = {10, 6, 0};

  /** Earlier versions of MariaDB have tx_isolation and tx_read_only instead. */
  private static final int[] MARIADB_TRANSACTION_NAMES = {11, 1, 1};

  /** Proxies and old protocols put a version of MySQL before that of MariaDB. */
  private static final Pattern NUMBERS =
      Pattern.compile("^(?:5\\.5\\.5-)?(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})(?!\\d)");

  /**
   * Parses the result of {@code VERSION()}.
   *
   * @throws UnsupportedVersionException if the text is not a version, or the version is too old
   */
  static ServerVersion supported(String text) {
    boolean mariaDb = text.toLowerCase(Locale.ROOT).contains("mariadb");
    Matcher numbers = NUMBERS.matcher(text);
    if (numbers.find()) {
      ServerVersion version =
          new ServerVersion(
              mariaDb,
              Integer.parseInt(numbers.group(1)),
              Integer.parseInt(numbers.group(2)),
              Integer.parseInt(numbers.group(3)),
              text);
      if (version.isAtLeast(mariaDb ? OLDEST_MARIADB : OLDEST_MYSQL)) {
        return version;
      }
    }
    throw unsupported((mariaDb ? "MariaDB " : "MySQL ") + text);
  }

  static UnsupportedVersionException unsupported(String server) {
    return new UnsupportedVersionException(
        "The server is "
            + server
            + ". Slotbloom needs MySQL 8.0.19 or later, or MariaDB 10.6 or later: upgrade the server,"
            + " or use another one.");
  }

  private boolean isAtLeast(int... wanted) {
    return Arrays.compare(new int[] {major, minor, patch}, wanted) >= 0;
  }

  SQLDialect dialect() {
    return mariaDb ? SQLDialect.MARIADB : SQLDialect.MYSQL;
  }

  /** Returns the name of the variable that holds the isolation level. */
  public String isolation() {
    return transactionPrefix() + "_isolation";
  }

  /** Returns the name of the variable that forbids transactions to write. */
  public String readOnly() {
    return transactionPrefix() + "_read_only";
  }

  private String transactionPrefix() {
    return mariaDb && !isAtLeast(MARIADB_TRANSACTION_NAMES) ? "tx" : "transaction";
  }

  /** Returns true if a statement can bring an isolation level along. */
  public boolean bringsIsolation() {
    return mariaDb && isAtLeast(MARIADB_TRANSACTION_NAMES);
  }

  /** Returns the name of the variable that limits how long a statement takes. */
  public String statementTime() {
    return mariaDb ? "max_statement_time" : "max_execution_time";
  }
}
