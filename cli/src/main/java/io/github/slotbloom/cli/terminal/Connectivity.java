package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.error.SlotBloomException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out what a failure says about the connection to the database. */
public final class Connectivity {

  private static final String CONNECTION_EXCEPTION = "08";

  /**
   * Errors of a server that is read-only or in offline mode, or whose replication group has not
   * settled. They pass, or another server is the primary soon.
   */
  private static final Set<Integer> NOT_NOW =
      Set.of(1290, 1836, 3032, 3100, 3781, 3782, 3783, 3796, 3797, 3798, 3799);

  /** Too many connections or statements, of all accounts or of this one. */
  private static final Set<Integer> LIMIT_REACHED = Set.of(1040, 1203, 1226);

  private static final int CANNOT_LOCK = 1015;

  private Connectivity() {}

  /** Returns true if nobody answered. A rejected account, database or statement does not count. */
  public static boolean isLost(Throwable failure) {
    if (lacksPublicKey(failure) || isLimitReached(failure)) {
      return false;
    }
    // A pool that got no connection in time may not know the reason.
    if (innermost(failure, SQLTransientConnectionException.class) != null) {
      return true;
    }
    SQLException reason = innermost(failure, SQLException.class);
    return reason != null
        && reason.getSQLState() != null
        && reason.getSQLState().startsWith(CONNECTION_EXCEPTION);
  }

  /** Returns true if nobody answered, or a server that can do nothing for now. */
  public static boolean mayPass(Throwable failure) {
    SQLException reason = innermost(failure, SQLException.class);
    return isLost(failure)
        || isLimitReached(failure)
        || (reason != null
            && (NOT_NOW.contains(reason.getErrorCode()) || isReadOnlyEngine(reason)));
  }

  /** Returns true for the error of a server whose {@code innodb_read_only} is ON. */
  private static boolean isReadOnlyEngine(SQLException reason) {
    return reason.getErrorCode() == CANNOT_LOCK
        && String.valueOf(reason.getMessage()).contains("errno: 165");
  }

  /** Returns true if a limit of connections or statements is reached, which passes. */
  public static boolean isLimitReached(Throwable failure) {
    SQLException reason = innermost(failure, SQLException.class);
    return reason != null && LIMIT_REACHED.contains(reason.getErrorCode());
  }

  /** Returns true if the driver may not send the password, and never may. */
  public static boolean lacksPublicKey(Throwable failure) {
    SQLException reason = innermost(failure, SQLException.class);
    return reason != null
        && String.valueOf(reason.getMessage()).startsWith("Public Key Retrieval is not allowed");
  }

  /** Returns true if the server refused and would refuse again. */
  public static boolean isRefused(Throwable failure) {
    SQLException reason = innermost(failure, SQLException.class);
    return reason != null && !(reason instanceof SQLTransientException) && !mayPass(failure);
  }

  /**
   * Returns why there is no connection, without the wrapping messages of the pool and the driver.
   */
  public static String describe(Throwable failure) {
    Throwable reason = innermost(failure, SQLException.class);
    Throwable beneath = innermost(failure, IOException.class);
    if (beneath instanceof UnknownHostException) {
      return "there is no host " + Wording.oneLine(beneath.getMessage());
    }
    Throwable told = beneath != null ? beneath : reason != null ? reason : failure;
    return Wording.oneLine(told.getMessage());
  }

  /** Returns the text for a failure of the library, as part of a sentence. */
  public static String explain(SlotBloomException failure) {
    if (isLost(failure)) {
      return "the database does not answer (" + describe(failure) + ")";
    }
    String message = Wording.oneLine(failure.getMessage());
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }

  private static <T extends Throwable> @Nullable T innermost(Throwable failure, Class<T> kind) {
    T found = null;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (kind.isInstance(cause)) {
        found = kind.cast(cause);
      }
    }
    return found;
  }
}
