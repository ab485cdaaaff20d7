package io.github.slotbloom.perf.cases;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.perf.peer.StoredFilter;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * Fills a filter for reading only. Sets the bits of the keys in memory, with the arithmetic of the
 * library, and writes the slots in order, without a journal. A hundred million keys take a minute
 * or two. The result equals that of folding; its users check this by its answers.
 */
final class SlotFill<K> {

  private static final int ROWS_A_STATEMENT = 10_000;
  private static final int STATEMENTS_A_COMMIT = 20;

  private final KeyType<K> type;
  private final LongFunction<K> keys;

  SlotFill(KeyType<K> type, LongFunction<K> keys) {
    this.type = type;
    this.keys = keys;
  }

  /** Adds keys 0 to count - 1 to an empty filter that nobody has open. */
  void fill(DatabaseAccount account, String filter, long count) throws SQLException {
    StoredFilter stored = StoredFilter.read(account, filter);
    fill(account, filter, List.of(stored), count);
  }

  /** Does the same, with as many keys in each generation, oldest first. */
  void fill(DatabaseAccount account, String filter, List<StoredFilter> generations, long count)
      throws SQLException {
    try (Connection connection = account.connect()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        // This step is not measured.
        statement.execute("SET SESSION sql_log_bin = 0");
        int parts = generations.size();
        for (int i = 0; i < parts; i++) {
          StoredFilter generation = generations.get(i);
          long[] slots =
              slots(
                  generation.parameters(),
                  generation.hash(),
                  firstOf(i, parts, count),
                  firstOf(i + 1, parts, count));
          write(slots, generation.slotTable(), statement, connection);
        }
      }
      try (PreparedStatement counted =
          connection.prepareStatement(
              "UPDATE bloom_journal JOIN bloom_filter ON id = filter_id"
                  + " SET bloom_journal.keys_added = ? WHERE name = ? AND seq = 0")) {
        counted.setLong(1, count);
        counted.setString(2, filter);
        counted.executeUpdate();
      }
      connection.commit();
    }
  }

  /** Returns the number of the first key in a part. */
  static long firstOf(int part, int parts, long count) {
    return count * part / parts;
  }

  private long[] slots(BloomParameters parameters, KeyHash hash, long from, long to) {
    int parts = Runtime.getRuntime().availableProcessors();
    List<long[]> partial =
        IntStream.range(0, parts)
            .parallel()
            .mapToObj(
                part -> {
                  long[] slots = new long[Math.toIntExact(parameters.slots())];
                  Probe probe = Probe.of(parameters);
                  long end = from + firstOf(part + 1, parts, to - from);
                  for (long i = from + firstOf(part, parts, to - from); i < end; i++) {
                    probe.forEachMask(
                        type.hash(keys.apply(i), hash), (slot, mask) -> slots[(int) slot] |= mask);
                  }
                  return slots;
                })
            .toList();
    long[] all = partial.get(0);
    for (long[] part : partial.subList(1, partial.size())) {
      for (int slot = 0; slot < all.length; slot++) {
        all[slot] |= part[slot];
      }
    }
    return all;
  }

  /** Replaces slots that are there: all bits of their keys are among those that are written. */
  private static void write(long[] slots, String table, Statement statement, Connection connection)
      throws SQLException {
    String begin = "REPLACE INTO " + table + " VALUES ";
    StringBuilder insert = new StringBuilder(begin);
    int rows = 0;
    int statements = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      if (slots[slot] != 0) {
        insert.append(rows == 0 ? '(' : ',').append(rows == 0 ? "" : "(");
        insert.append(slot).append(',').append(Long.toUnsignedString(slots[slot])).append(')');
        rows++;
      }
      if (rows == ROWS_A_STATEMENT || (rows > 0 && slot == slots.length - 1)) {
        statement.execute(insert.toString());
        insert.setLength(begin.length());
        rows = 0;
        if (++statements % STATEMENTS_A_COMMIT == 0) {
          connection.commit();
        }
      }
    }
  }
}
