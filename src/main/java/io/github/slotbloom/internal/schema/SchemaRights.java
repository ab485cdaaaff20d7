package io.github.slotbloom.internal.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Finds out which rights an account lacks to make tables and views. Each right is tried with a
 * statement that must fail: with the right because a table is missing, without it because access is
 * denied. So nothing changes, and rights that come by roles count.
 */
final class SchemaRights {

  private static final Map<String, String> TRIALS = new LinkedHashMap<>();

  static {
    TRIALS.put("CREATE", "CREATE TABLE bloom_trial LIKE bloom_missing");
    TRIALS.put("CREATE VIEW", "CREATE VIEW bloom_trial AS SELECT * FROM bloom_missing");
    TRIALS.put("DROP", "DROP TABLE bloom_missing");
  }

  /** The error codes for access denied to the schema, and to a table. */
  private static final Set<Integer> ACCESS_DENIED = Set.of(1044, 1142);

  private SchemaRights() {}

  /** Returns the rights that are missing, and what the server says of each. */
  static Map<String, String> missing(DataSource dataSource) throws SQLException {
    Map<String, String> missing = new LinkedHashMap<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (Map.Entry<String, String> trial : TRIALS.entrySet()) {
        try {
          statement.execute(trial.getValue());
        } catch (SQLException e) {
          if (isDenied(e)) {
            missing.put(trial.getKey(), e.getMessage());
          }
        }
      }
    }
    return missing;
  }

  static boolean isDenied(SQLException failure) {
    return ACCESS_DENIED.contains(failure.getErrorCode());
  }
}
