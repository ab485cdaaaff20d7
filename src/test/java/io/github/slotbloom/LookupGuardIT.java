package io.github.slotbloom;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A guarded table from which rows are deleted. */
@DatabaseContract
class LookupGuardIT {

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  private final List<Long> lookedUp = new ArrayList<>();

  @Test
  void keysOfDeletedRowsAreNotLookedUp() throws SQLException {
    String name = newName();
    sql.run("CREATE TABLE account_" + name + " (id BIGINT PRIMARY KEY, balance INT NOT NULL)");
    FilterSpec<Long> spec =
        FilterSpec.builder(KeyType.longs()).capacity(1000).falsePositiveRate(1e-9).buildRemovable();

    BloomFilter<Long> ids = here.reserve(name, spec);
    LookupGuard<Long, Integer> guard =
        new LookupGuard<>(there.open(name, KeyType.longs()), wanted -> lookUp(name, wanted));
    insert(name, ids, 1);
    insert(name, ids, 2);
    assertThat(guard.findAll(List.of(1L, 2L, 3L))).containsOnlyKeys(1L, 2L);
    assertThat(lookedUp).containsExactly(1L, 2L);

    assertThat(delete(name, ids, 1)).isTrue();
    assertThat(delete(name, ids, 3)).isFalse();

    lookedUp.clear();
    assertThat(guard.findAll(List.of(1L, 2L, 3L))).containsOnlyKeys(2L);
    assertThat(lookedUp).containsExactly(2L);

    insert(name, ids, 1);
    assertThat(guard.find(1L)).hasValue(10);
  }

  private static void insert(String name, BloomFilter<Long> ids, long id) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO account_" + name + " VALUES (?, 10)")) {
      connection.setAutoCommit(false);
      insert.setLong(1, id);
      insert.executeUpdate();
      ids.within(connection).add(id);
      connection.commit();
    }
  }

  /** Returns true if there was a row. */
  private static boolean delete(String name, BloomFilter<Long> ids, long id) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM account_" + name + " WHERE id = ?")) {
      connection.setAutoCommit(false);
      delete.setLong(1, id);
      boolean deleted = delete.executeUpdate() == 1;
      if (deleted) {
        assertThat(Removing.from(ids).within(connection).remove(id)).isTrue();
      }
      connection.commit();
      return deleted;
    }
  }

  private Map<Long, Integer> lookUp(String name, List<Long> wanted) {
    lookedUp.addAll(wanted);
    Map<Long, Integer> found = new HashMap<>();
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT balance FROM account_" + name + " WHERE id = ?")) {
      for (long id : wanted) {
        select.setLong(1, id);
        ResultSet row = select.executeQuery();
        if (row.next()) {
          found.put(id, row.getInt(1));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
