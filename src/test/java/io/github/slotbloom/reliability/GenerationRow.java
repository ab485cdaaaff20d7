package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A row of {@code bloom_generation}, as it is stored. */
record GenerationRow(
    int number,
    String state,
    long stateToken,
    long sinceSeq,
    long cutoverSeq,
    long bits,
    int hashes,
    String slotTable) {

  /** Those of a filter that journal entries tell of, in their order. */
  static List<GenerationRow> read(Connection connection, long filterId) throws SQLException {
    return Sql.read(
        connection,
        "SELECT generation, state, state_token, since_seq, cutover_seq, bits, hashes,"
            + " (SELECT slot_table FROM bloom_generation_status s WHERE s.filter_id = g.filter_id AND"
            + " s.generation = g.generation)"
            + " FROM bloom_generation g WHERE filter_id = ? AND state NOT IN ('CREATING', 'READY')"
            + " ORDER BY generation",
        row ->
            new GenerationRow(
                row.getInt(1),
                row.getString(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getInt(7),
                row.getString(8)),
        filterId);
  }

  boolean answers() {
    return state.equals("ACTIVE");
  }

  boolean isFilled() {
    return state.equals("FILLING");
  }

  boolean isInUse() {
    return answers() || isFilled();
  }

  /**
   * Whether the keys of an entry belong to it.
   *
   * @param until the last entry before the next one that answers begins
   */
  boolean takes(JournalRow entry, long until) {
    long seq = entry.seq();
    boolean whileFilled = isFilled() || seq <= cutoverSeq;
    return seq > sinceSeq && (whileFilled ? entry.fills() : entry.setsBits() && seq <= until);
  }
}
