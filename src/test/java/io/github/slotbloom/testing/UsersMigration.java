package io.github.slotbloom.testing;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;

/** Creates a table, as a migration of an application that uses Flyway itself. */
public final class UsersMigration implements JavaMigration {

  private final String version;

  public UsersMigration(String version) {
    this.version = version;
  }

  @Override
  public MigrationVersion getVersion() {
    return MigrationVersion.fromVersion(version);
  }

  @Override
  public String getDescription() {
    return "user " + version;
  }

  @Override
  public Integer getChecksum() {
    return 0;
  }

  @Override
  public boolean canExecuteInTransaction() {
    return false;
  }

  @Override
  public void migrate(Context context) throws SQLException {
    try (Statement statement = context.getConnection().createStatement()) {
      statement.execute("CREATE TABLE user_" + version + " (id INT)");
    }
  }
}
