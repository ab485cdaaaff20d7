package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which keys are removed, by the table of removed hashes and by the journal. Immutable. */
final class StoredRemovals {

  private record Row(long hash, long seq) {}

  private final Map<Long, Long> rows = new HashMap<>();
  private final Map<Long, Long> folded = new HashMap<>();
  private final Map<Long, Long> all = new HashMap<>();
  private final Set<Long> unfolded = new HashSet<>();

  private StoredRemovals(List<Row> stored, List<JournalRow> journal, long base, long foldedSeq) {
    for (Row row : stored) {
      if (row.seq > base) {
        rows.put(row.hash, row.seq);
      }
    }
    for (JournalRow entry : journal) {
      if (entry.adds() || entry.removes()) {
        for (long hash : entry.hashes()) {
          take(all, entry, hash, base);
          if (entry.seq() <= foldedSeq) {
            take(folded, entry, hash, base);
          } else {
            unfolded.add(hash);
          }
        }
      }
    }
  }

  private static void take(Map<Long, Long> removed, JournalRow entry, long hash, long base) {
    if (entry.removes() && entry.seq() > base) {
      removed.put(hash, entry.seq());
    } else {
      removed.remove(hash);
    }
  }

  /**
   * Reads the table of a filter, if it has one.
   *
   * @param base removals by entries up to this one have no meaning: no generation that answers has
   *     the bits
   */
  static StoredRemovals read(
      Connection connection, StoredFilter filter, List<JournalRow> journal, long base)
      throws SQLException {
    List<Row> rows =
        filter.removedTable().isEmpty()
            ? List.of()
            : Sql.read(
                connection,
                "SELECT hash, seq FROM `" + filter.removedTable().get() + "`",
                row -> new Row(row.getLong(1), row.getLong(2)));
    return new StoredRemovals(rows, journal, base, filter.foldedSeq());
  }

  /** Whether a hash is removed, whatever its bits are. */
  boolean contains(long hash) {
    return unfolded.contains(hash) ? all.containsKey(hash) : rows.containsKey(hash);
  }

  /** How many hashes are removed, by the journal. */
  int journaled() {
    return all.size();
  }

  /**
   * Where the table is not what the journal says, a sentence each. What is being folded may be in
   * the table already, or not.
   *
   * @param trimmed whether the journal may lack entries; then it cannot tell what is too much
   */
  List<String> wrongRows(boolean trimmed) {
    List<String> wrong = new ArrayList<>();
    folded.forEach(
        (hash, seq) -> {
          if (!unfolded.contains(hash) && !seq.equals(rows.get(hash))) {
            wrong.add(
                "the hash "
                    + Long.toHexString(hash)
                    + " was removed by entry "
                    + seq
                    + ", but its row says "
                    + rows.get(hash));
          }
        });
    if (!trimmed) {
      rows.forEach(
          (hash, seq) -> {
            if (!unfolded.contains(hash) && !folded.containsKey(hash)) {
              wrong.add(
                  "the hash "
                      + Long.toHexString(hash)
                      + " has a row of entry "
                      + seq
                      + ", but no folded entry removed it last");
            }
          });
    }
    return wrong;
  }
}
