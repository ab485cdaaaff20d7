package io.github.slotbloom.internal.schema;

import io.github.slotbloom.error.SchemaException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables that all filters share, through Flyway. It keeps a history of its own, so the
 * history of the application is never touched.
 */
public final class Schema {

  private static final String HISTORY = "bloom_schema_history";

  private static final int ATTEMPTS = 4;
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** The error codes for access denied to the schema, and to a table. */
  private static final Set<Integer> ACCESS_DENIED = Set.of(1044, 1142);

  private final DataSource dataSource;

  public Schema(DataSource dataSource) {
    this.dataSource = PreparedConnections.of(dataSource);
  }

  /**
   * Makes or updates the tables that all filters share, and the views.
   *
   * @throws SchemaException if that fails; repeating it is safe
   */
  public void migrate() {
    FluentConfiguration configuration = configuration();
    FlywayException first = attempt(configuration);
    FlywayException last = first;
    for (int i = 1; last != null && !accessDenied(last) && i < ATTEMPTS; i++) {
      // Flyway makes its history table without a lock, so if two first runs meet, one may fail.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
      last = attempt(configuration);
    }
    if (first != null && last != null) {
      throw failed(first, last);
    }
  }

  private FluentConfiguration configuration() {
    return Flyway.configure(Schema.class.getClassLoader())
        .dataSource(WithoutTimestamps.of(dataSource))
        .table(HISTORY)
        .locations("classpath:" + SchemaSql.FOLDER)
        // The schema holds the application's tables, and perhaps tables that an operator made by
        // hand.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .baselineDescription("before Slotbloom")
        .cleanDisabled(true);
  }

  private static SchemaException failed(FlywayException first, FlywayException last) {
    String remedy =
        accessDenied(last)
            ? " The account needs CREATE, ALTER, CREATE VIEW and DROP on the schema, beside SELECT,"
                + " INSERT, UPDATE and DELETE. Grant them, or have an operator run the printed SQL."
            : " See to that and migrate again, which is safe, or have an operator run the printed"
                + " SQL.";
    return new SchemaException(
        "Could not make the base tables and views: " + reasons(first, last) + "." + remedy, last);
  }

  /**
   * Returns the reasons of the first and the last attempt. The first failure may leave a state
   * behind that hides the reason from the last attempt.
   */
  private static String reasons(FlywayException first, FlywayException last) {
    String reason = reason(last);
    String before = reason(first);
    return before.equals(reason) ? reason : before + ". Tried again: " + reason;
  }

  /** Returns the message of the server, without the lines that Flyway puts around it. */
  private static String reason(FlywayException failure) {
    Throwable innermost = failure;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      innermost = t instanceof SQLException ? t : innermost;
    }
    String why = String.valueOf(innermost.getMessage()).strip();
    return why.startsWith("Unsupported Database")
        ? why + ": add flyway-mysql of the version of flyway-core to the class path"
        : why;
  }

  /**
   * Returns true if access was denied. In that case Flyway takes ten seconds to give up, so there
   * is no further attempt.
   */
  private static boolean accessDenied(FlywayException failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e && ACCESS_DENIED.contains(e.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable FlywayException attempt(FluentConfiguration configuration) {
    try {
      Flyway flyway = configuration.load();
      // A failed migration in the history would stop all later ones.
      boolean halfRecorded =
          Arrays.stream(flyway.info().all()).anyMatch(migration -> migration.getState().isFailed());
      if (halfRecorded) {
        flyway.repair();
      }
      flyway.migrate();
      return null;
    } catch (FlywayException e) {
      return e;
    }
  }
}
