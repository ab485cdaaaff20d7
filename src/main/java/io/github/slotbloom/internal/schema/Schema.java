package io.github.slotbloom.internal.schema;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.time.TimeSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.output.MigrateResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tables that all filters share, through Flyway. It keeps a history of its own, so the
 * history of the application is never touched.
 */
public final class Schema {

  private static final Logger log = LoggerFactory.getLogger(Schema.class);

  private static final String HISTORY = "bloom_schema_history";

  /** The error code for a lock on a table or a row that was not free in time. */
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private static final int ATTEMPTS = 4;
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final String OR_AN_OPERATOR =
      "or have an operator run the SQL printed by slotbloom migrate --print-sql or"
          + " SlotBloom.schemaSql().";

  static {
    readFlyway();
  }

  private final DataSource pool;
  private final TimeSource time;
  private final Consumer<Duration> waiting;

  /**
   * @param time what passes between two attempts, and while another process migrates
   * @param waiting is told that another process migrates, and how long this one waits for it
   */
  public Schema(DataSource dataSource, TimeSource time, Consumer<Duration> waiting) {
    this.time = time;
    this.pool = dataSource;
    this.waiting = waiting;
  }

  /** The module of Flyway has no name that would last, so ours cannot require it by a name. */
  private static void readFlyway() {
    try {
      Module flyway = Class.forName("org.flywaydb.core.Flyway").getModule();
      Schema.class.getModule().addReads(flyway);
    } catch (ClassNotFoundException e) {
      throw (Error) new NoClassDefFoundError(e.getMessage()).initCause(e);
    }
  }

  /**
   * Makes the tables that all filters share, and the views.
   *
   * @param timeout how long to wait for others: for one that migrates, and for locks on a table
   * @throws FilterUnavailableException if others did not end in time, or the thread was interrupted
   * @throws SchemaException if it fails otherwise; repeating it is safe
   */
  public void migrate(Duration timeout) {
    DataSource dataSource = PreparedConnections.of(pool, timeout);
    FluentConfiguration configuration =
        configuration(FlywayConnections.of(dataSource, new LockWait(timeout, time, waiting)));
    FlywayException first = attempt(dataSource, configuration);
    FlywayException last = first;
    for (int i = 1; last != null && !isFinal(last, timeout) && i < ATTEMPTS; i++) {
      // Flyway makes its history table without a lock, so if two first runs meet, one may fail.
      time.rest(this, ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
      last = attempt(dataSource, configuration);
    }
    if (first != null && last != null) {
      throw failed(first, last);
    }
  }

  private static FluentConfiguration configuration(DataSource dataSource) {
    return Flyway.configure(Schema.class.getClassLoader())
        .dataSource(dataSource)
        .table(HISTORY)
        .loggers(FlywayLog.Creator.class.getName())
        .locations("classpath:" + SchemaSql.FOLDER)
        // The schema holds the application's tables, and perhaps tables that an operator made by
        // hand.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .baselineDescription("before Slotbloom")
        .cleanDisabled(true);
  }

  /** Returns true if another attempt would be in vain. */
  private static boolean isFinal(FlywayException failure, Duration timeout) {
    if (find(failure, InterruptedException.class) != null) {
      Thread.currentThread().interrupt();
      throw new FilterUnavailableException(
          "Creating the base tables and views was interrupted. Migrate again, which is safe.",
          failure);
    }
    if (gaveUpWaiting(failure)) {
      throw new FilterUnavailableException(
          "Could not create the base tables and views within "
              + timeout.toSeconds()
              + " s: "
              + reason(failure)
              + ". Another process is migrating, or a transaction is using a table or view. Wait"
              + " for it or end it, then migrate again.",
          failure);
    }
    return accessDenied(failure);
  }

  private static boolean gaveUpWaiting(FlywayException failure) {
    SQLException reason = find(failure, SQLException.class);
    return reason instanceof SQLTimeoutException
        || (reason != null && reason.getErrorCode() == LOCK_WAIT_TIMEOUT);
  }

  /** Returns the innermost cause of a kind. */
  private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> kind) {
    T found = null;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      found = kind.isInstance(cause) ? kind.cast(cause) : found;
    }
    return found;
  }

  private static SchemaException failed(FlywayException first, FlywayException last) {
    String remedy =
        accessDenied(last)
            ? " The account needs CREATE, CREATE VIEW and DROP on the schema, in addition to"
                + " SELECT, INSERT, UPDATE and DELETE. Grant them, "
                + OR_AN_OPERATOR
            : " Fix that and migrate again, which is safe, " + OR_AN_OPERATOR;
    return new SchemaException(
        "Could not create the base tables and views: " + reasons(first, last) + "." + remedy, last);
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
    Throwable innermost = find(failure, SQLException.class);
    String why = String.valueOf((innermost == null ? failure : innermost).getMessage()).strip();
    return why.startsWith("Unsupported Database")
        ? why + ": add flyway-mysql, in the same version as flyway-core, to the class path"
        : why;
  }

  /**
   * Returns true if access was denied. In that case Flyway takes ten seconds to give up, so there
   * is no further attempt.
   */
  private static boolean accessDenied(FlywayException failure) {
    SQLException reason = find(failure, SQLException.class);
    return reason != null && SchemaRights.isDenied(reason);
  }

  private static @Nullable FlywayException attempt(
      DataSource dataSource, FluentConfiguration configuration) {
    try {
      MigrateResult result = FlywayLog.during(() -> run(dataSource, configuration.load()));
      if (result.migrationsExecuted > 0) {
        log.info(
            "created Slotbloom's tables and views, version {}, in schema {}",
            result.targetSchemaVersion,
            result.database);
      }
      return null;
    } catch (FlywayException e) {
      return e;
    }
  }

  private static MigrateResult run(DataSource dataSource, Flyway flyway) {
    MigrationInfoService info = flyway.info();
    try {
      requireRelease(dataSource, info);
      if (info.pending().length > 0) {
        requireRights(dataSource);
      }
    } catch (SQLException e) {
      // As where Flyway itself loses the connection.
      throw new FlywayException(e.getMessage(), e);
    }
    // A failed migration in the history would stop all later ones.
    if (Arrays.stream(info.all()).anyMatch(migration -> migration.getState().isFailed())) {
      flyway.repair();
    }
    return flyway.migrate();
  }

  /** Refuses what a development version made: with Flyway, or by the SQL that it printed. */
  private static void requireRelease(DataSource dataSource, MigrationInfoService info)
      throws SQLException {
    boolean anotherScript =
        Arrays.stream(info.applied()).anyMatch(migration -> !migration.isChecksumMatching());
    if (anotherScript || hasTablesOfDevelopment(dataSource)) {
      throw new SchemaException(SchemaTables.OF_DEVELOPMENT, null);
    }
  }

  private static boolean hasTablesOfDevelopment(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery(SchemaTables.COUNT_OF_DEVELOPMENT)) {
      return count.next() && count.getInt(1) > 0;
    }
  }

  /** Looks at the rights first: without CREATE, Flyway tries for ten seconds. */
  private static void requireRights(DataSource dataSource) throws SQLException {
    Map<String, String> missing = SchemaRights.missing(dataSource);
    if (!missing.isEmpty()) {
      throw new SchemaException(
          ("Could not create the base tables and views: the account lacks %s on the schema (%s)."
                      + " Grant that, ")
                  .formatted(
                      String.join(", ", missing.keySet()), missing.values().iterator().next())
              + OR_AN_OPERATOR,
          null);
    }
  }
}
