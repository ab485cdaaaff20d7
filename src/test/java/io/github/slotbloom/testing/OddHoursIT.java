package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import org.junit.jupiter.api.Test;

/** Tests that the {@link OddHours} tests run at times when careless reading of dates fails. */
@OddHours(only = true)
@DatabaseContract
class OddHoursIT {

  private final TestDatabase database;

  OddHoursIT(TestDatabase database) {
    this.database = database;
  }

  @Test
  void theZoneSkipsOrRepeatsTheTimeOfTheClock() {
    assertThat(zone().getValidOffsets(utc()))
        .as("offsets of %s at %s", ZoneId.systemDefault(), utc())
        .satisfiesAnyOf(
            skipped -> assertThat(skipped).isEmpty(), twice -> assertThat(twice).hasSize(2));
  }

  @Test
  void theDriverReadsAWrongTimestamp(TestSchema schema) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE dates (at DATETIME(3) NOT NULL)");
      statement.execute("INSERT INTO dates VALUES (UTC_TIMESTAMP(3))");
      try (ResultSet row = statement.executeQuery("SELECT at FROM dates")) {
        row.next();
        if (zone().getValidOffsets(utc()).isEmpty()) {
          assertThatThrownBy(() -> row.getTimestamp(1)).hasMessageContaining("HOUR_OF_DAY");
        } else {
          Timestamp read = row.getTimestamp(1);
          assertThat(read.toInstant()).isNotEqualTo(database.clock());
        }
      }
    }
  }

  private LocalDateTime utc() {
    return LocalDateTime.ofInstant(database.clock(), ZoneOffset.UTC);
  }

  private static ZoneRules zone() {
    return ZoneId.systemDefault().getRules();
  }
}
