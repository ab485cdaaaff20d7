package io.github.slotbloom.schema;

import io.github.slotbloom.core.FilterName;
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
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables. Flyway keeps two histories of our own, so that the application's is never touched:
 * one of the base tables, whose migrations are files, and one of the slot tables, each a migration
 * made for the occasion.
 *
 * <p>A process knows only the slot table that it is about to make. What others made is therefore
 * "missing" to it, and that is as it should be; the number of a filter rises while those of earlier
 * filters may still be made, so order is free as well.
 */
public final class Schema {

  private static final String BASE_HISTORY = "bloom_schema_history";
  private static final String SLOT_HISTORY = "bloom_slot_history";

  private static final int ATTEMPTS = 4;
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  /** To the schema, to a table. */
  private static final Set<Integer> ACCESS_DENIED = Set.of(1044, 1142);

  private final DataSource dataSource;

  public Schema(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Makes or updates the tables that all filters share, and the views.
   *
   * @throws SchemaException if that fails; repeating it is safe
   */
  public void migrateBase() {
    migrate(
        configure(BASE_HISTORY).locations("classpath:" + SchemaSql.FOLDER),
        "the base tables and views",
        "CREATE, ALTER, CREATE VIEW and DROP");
  }

  /**
   * Makes the slot table of a generation unless it exists.
   *
   * @throws SchemaException if that fails; repeating it is safe
   */
  public void createSlotTable(long filterId, FilterName filter, int generation) {
    String table = filter.slotTable(generation);
    JavaMigration migration = new SlotTableMigration(filterId, filter, generation);
    migrate(
        configure(SLOT_HISTORY)
            .javaMigrations(migration)
            .outOfOrder(true)
            .ignoreMigrationPatterns("*:missing", "*:future"),
        "the slot table " + table,
        "CREATE");
  }

  private FluentConfiguration configure(String history) {
    return Flyway.configure(Schema.class.getClassLoader())
        .dataSource(dataSource)
        .table(history)
        .locations(new String[0])
        // The schema holds the application's tables, and perhaps ours from an operator's hand.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .baselineDescription("before Slotbloom")
        .cleanDisabled(true);
  }

  private static void migrate(FluentConfiguration configuration, String what, String rights) {
    FlywayException last = attempt(configuration);
    for (int i = 1; last != null && !accessDenied(last) && i < ATTEMPTS; i++) {
      // Flyway makes its history table without a lock, so of two first runs one may stumble.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
      last = attempt(configuration);
    }
    if (last != null) {
      throw new SchemaException(
          "Could not make "
              + what
              + ". The account needs "
              + rights
              + " on the schema; or have an operator run the printed SQL."
              + " The reason: "
              + reason(last),
          last);
    }
  }

  /** What the server said, rather than what Flyway says around it on several lines. */
  private static String reason(FlywayException failure) {
    Throwable innermost = failure;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      innermost = t instanceof SQLException ? t : innermost;
    }
    String why = String.valueOf(innermost.getMessage()).strip();
    return why.startsWith("Unsupported Database")
        ? why + ". Add flyway-mysql of the version of flyway-core to the class path."
        : why;
  }

  /** Flyway itself takes ten seconds to give up then. */
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
      // Of another slot table, too: one failure would stop all later migrations.
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
