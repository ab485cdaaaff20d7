package io.github.slotbloom.testing;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Timeout;

/** A test of the stored functions that ask filters from SQL. */
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
public abstract class MembershipFunctions {

  @Fixture protected static TestSchema schema;
  @Fixture protected static SlotBloom bloom;
  @Fixture protected static Sql sql;

  /** Returns a spec with a hash function that SQL has as well. */
  protected static FilterSpec.Builder<String> spec(long capacity) {
    return spec(KeyType.text()).capacity(capacity);
  }

  /** Returns such a spec for 100 keys. */
  protected static <K> FilterSpec.Builder<K> spec(KeyType<K> type) {
    return FilterSpec.builder(type).capacity(100).hash(HashAlgorithm.SHA256);
  }

  /** Makes the function of a filter. */
  protected static void makeFunction(String filter) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      makeFunction(connection, filter);
    }
  }

  /** Makes it as somebody else. */
  protected static void makeFunction(Connection connection, String filter) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String part : bloom.admin(filter).functionSql()) {
        statement.execute(part);
      }
    }
  }

  /** Returns what the function says of a key. */
  protected static String ask(String filter, Object key) throws SQLException {
    return sql.text("SELECT " + sql.function(filter) + "(?)", key);
  }
}
