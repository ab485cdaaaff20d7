package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An operator reads what waits for a lock in the views of the server, whatever values it has. MySQL
 * 9.7 cannot show the text of a statement whose values are not text, and fails with error 3854.
 */
@DatabaseContract
@Timeout(120)
@Tag("mysql")
class LegibleStatementsIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final Sql sql = new Sql(schema.dataSource());

  @Test
  void anAddThatWaitsCanBeSeen(TestDatabase database) throws Exception {
    BloomFilter<String> filter = bloom.reserve("seen", Use.MIRRORED.spec(KeyType.text(), 30_000));
    List<String> keys = IntStream.range(0, 20_000).mapToObj(i -> "key " + i).toList();
    try (Connection lock = schema.dataSource().getConnection();
        Connection transaction = schema.dataSource().getConnection()) {
      lock.setAutoCommit(false);
      transaction.setAutoCommit(false);
      // The gap where the entry will be: row 0 is locked before the entry is sent.
      Sql.run(
          lock,
          "SELECT * FROM bloom_journal WHERE seq = 1 AND filter_id ="
              + " (SELECT id FROM bloom_filter WHERE name = 'seen') FOR UPDATE");
      CompletableFuture<boolean[]> added =
          CompletableFuture.supplyAsync(() -> filter.within(transaction).addEach(keys));
      awaitSeen(database, "insert into `bloom_journal`", "unhex(");
      lock.rollback();
      assertThat(added.get(60, TimeUnit.SECONDS)).containsOnly(true);
    }
  }

  @Test
  void aRepeatedStatementThatWaitsCanBeSeen(TestDatabase database) throws Exception {
    sql.run("CREATE TABLE repeated (id BIGINT PRIMARY KEY, payload BLOB)");
    sql.run("INSERT INTO repeated VALUES (0, '')");
    byte[] bytes = {0, 39, 92, -128, -1};
    String text = "insert into repeated values (?, unhex(?)) on duplicate key update payload = ''";
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = schema.dataSource().getConnection();
        RepeatedStatements statements = new RepeatedStatements(connection)) {
      lock.setAutoCommit(false);
      for (long id = 1; id <= 5; id++) {
        statements.execute(text, List.of(id, bytes));
      }
      Sql.run(lock, "SELECT * FROM repeated WHERE id = 0 FOR UPDATE");
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(() -> execute(statements, text, List.of(0L, bytes)));
      awaitSeen(database, "insert into repeated", "0027");
      lock.rollback();
      waiting.get(60, TimeUnit.SECONDS);
    }
    assertThat(sql.texts("SELECT DISTINCT HEX(payload) FROM repeated WHERE id > 0"))
        .containsExactly("00275C80FF");
  }

  private static void execute(RepeatedStatements statements, String text, List<Object> values) {
    try {
      statements.execute(text, values);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Looks more seldom than ten times a second, or innodb_trx would never be recreated. The embedded
   * MariaDB has no schema sys.
   */
  private void awaitSeen(TestDatabase database, String begin, String value) {
    List<String> views = new ArrayList<>();
    views.add("SELECT info FROM information_schema.processlist");
    views.add("SELECT trx_query FROM information_schema.innodb_trx");
    if (!database.isMariaDb()) {
      views.add("SELECT waiting_query FROM sys.innodb_lock_waits");
    }
    Consumer<String> wanted = text -> assertThat(text).startsWith(begin);
    for (String view : views) {
      boolean whole = !view.contains("sys.");
      await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(300))
          .untilAsserted(
              () ->
                  assertThat(sql.texts(view))
                      .anySatisfy(wanted)
                      .anySatisfy(text -> assertThat(text).contains(whole ? value : "")));
    }
  }
}
