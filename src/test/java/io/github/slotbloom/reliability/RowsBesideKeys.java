package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Processes that add the same keys in transactions of their own, each with a row beside its key.
 * Both are recorded, or neither is, and one transaction alone finds a key new.
 */
final class RowsBesideKeys {

  private final SharedFilter shared;
  private final String table;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger committed = new AtomicInteger();
  private final AtomicIntegerArray winners = new AtomicIntegerArray(ContestedKeys.CAPACITY);
  private final Crowd writers;
  private volatile boolean stopped;

  /** Starts to write. */
  RowsBesideKeys(SharedFilter shared) throws SQLException {
    this.shared = shared;
    table = "rows_of_" + shared.name();
    new Sql(shared.pool(0))
        .run("CREATE TABLE " + table + " (id INT, writer INT, PRIMARY KEY (id, writer))");
    writers =
        Crowd.of(
            shared.filters().size(),
            process -> {
              while (!stopped) {
                write(process);
              }
            });
  }

  private static String key(int id) {
    return "row " + id;
  }

  private void write(int process) {
    int id = begun.getAndIncrement() / 2;
    try (Connection connection = shared.pool(process).getConnection()) {
      connection.setAutoCommit(false);
      boolean isNew = shared.filters().get(process).within(connection).add(key(id));
      if (isNew) {
        Sql.run(connection, "INSERT INTO " + table + " VALUES (?, ?)", id, process);
      }
      connection.commit();
      if (isNew) {
        winners.incrementAndGet(id);
        committed.incrementAndGet();
      }
    } catch (SQLException | SlotBloomException e) {
      // Both are recorded, or neither is.
    }
  }

  /** Waits until so many more transactions are committed. */
  void awaitProgress(int transactions) {
    int before = committed.get();
    await().atMost(SharedFilter.TIMEOUT).until(() -> committed.get() >= before + transactions);
  }

  /** Ends the threads after the transactions that are under way. */
  void stop() {
    stopped = true;
  }

  /** Stops the threads, waits for them, and checks what was promised. */
  void check() throws Exception {
    stop();
    writers.join(SharedFilter.TIMEOUT);
    int last = shared.filters().size() - 1;
    List<String> rows = new Sql(shared.pool(last)).texts("SELECT id FROM " + table);
    assertThat(rows).as("one winner for each key").doesNotHaveDuplicates();
    Set<String> ids = new HashSet<>(rows);
    List<Integer> all = IntStream.rangeClosed(0, begun.get() / 2).boxed().toList();
    boolean[] found =
        shared.filters().get(last).mightContainEach(all.stream().map(RowsBesideKeys::key).toList());
    for (int id : all) {
      boolean there = ids.contains(String.valueOf(id));
      assertThat(winners.get(id)).as("winners of " + key(id)).isLessThanOrEqualTo(there ? 1 : 0);
      assertThat(found[id]).as(key(id)).isEqualTo(there);
    }
    assertThat(shared.bloom(last).info(shared.name()).keysAdded()).isEqualTo(rows.size());
  }
}
