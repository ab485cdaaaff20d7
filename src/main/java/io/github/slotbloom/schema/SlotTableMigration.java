package io.github.slotbloom.schema;

import io.github.slotbloom.core.FilterName;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/**
 * Makes the slot table of one generation. Repeating it after a run that was cut off does no harm.
 */
final class SlotTableMigration implements JavaMigration {

  private final MigrationVersion version;
  private final FilterName filter;
  private final int generation;

  SlotTableMigration(long filterId, FilterName filter, int generation) {
    this.version = MigrationVersion.fromVersion(filterId + "." + generation);
    this.filter = filter;
    this.generation = generation;
  }

  @Override
  public MigrationVersion getVersion() {
    return version;
  }

  @Override
  public String getDescription() {
    return filter.slotTable(generation);
  }

  @Override
  public @Nullable Integer getChecksum() {
    return null;
  }

  @Override
  public boolean canExecuteInTransaction() {
    return false;
  }

  @Override
  public void migrate(Context context) throws SQLException {
    try (Statement statement = context.getConnection().createStatement()) {
      statement.execute(SchemaSql.slotTable(filter, generation));
    }
  }
}
