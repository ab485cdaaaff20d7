package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.select;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;

/** Reads a journal that may be damaged. It goes on where {@link Journal} throws. */
public final class JournalAudit {

  private static final Field<Long> FIRST_SEQ =
      field(
              select(min(Journals.SEQ))
                  .from(Journals.TABLE)
                  .where(Journals.FILTER_ID.eq(Filters.ID))
                  .and(Journals.SEQ.gt(0L)))
          .as("first_seq");

  private static final Field<Boolean> MAY_BE_TRIMMED =
      field(
              "({0} OR {1} <= UTC_TIMESTAMP(3) - INTERVAL {2} SECOND)",
              SQLDataType.BOOLEAN, Filters.IMPORTED, Filters.CREATED_AT, Filters.RETENTION_SECONDS)
          .as("may_be_trimmed");

  private JournalAudit() {}

  /** Returns the ends of the journal, read in one statement, or empty if the filter is gone. */
  public static Optional<JournalEnds> ends(Tx tx, long filterId) {
    return tx.dsl()
        .select(Ends.LAST_SEQ, Folds.FOLDED_SEQ, FIRST_SEQ, MAY_BE_TRIMMED, Filters.IMPORTED)
        .from(Catalog.HEAD_ROWS)
        .leftJoin(Folds.TABLE)
        .on(Folds.FILTER_ID.eq(Filters.ID))
        .where(Filters.ID.eq(filterId))
        .fetchOptional(
            row ->
                new JournalEnds(
                    row.get(Ends.LAST_SEQ),
                    row.get(Folds.FOLDED_SEQ),
                    row.get(FIRST_SEQ),
                    row.get(MAY_BE_TRIMMED),
                    row.get(Filters.IMPORTED)));
  }

  /**
   * Reads the next rows after {@code after}, up to {@code last}. Returns an empty list after the
   * last row.
   */
  public static List<StoredEntry> page(Tx tx, FilterRecord filter, long after, long last) {
    return Journal.rows(tx, filter, after, last).fetch(row -> read(filter, row));
  }

  private static StoredEntry read(FilterRecord filter, Record row) {
    JournalEntry entry = null;
    String fault = null;
    try {
      entry = JournalEntry.decode(filter, row);
    } catch (CorruptFilterException | UnsupportedVersionException e) {
      fault = e.getMessage();
    }
    return new StoredEntry(
        row.get(Journals.SEQ),
        row.get(Journals.TOKEN),
        row.get(Journals.PREVIOUS_TOKEN),
        entry,
        fault);
  }

  /**
   * Returns the number of the first row beyond the end that the catalog records. One statement
   * reads both.
   */
  public static Optional<Long> beyondEnd(Tx tx, long filterId) {
    return tx.dsl()
        .select(Journals.SEQ)
        .from(Ends.TABLE)
        .join(Journals.TABLE)
        .on(Journals.FILTER_ID.eq(Ends.FILTER_ID).and(Journals.SEQ.gt(Ends.LAST_SEQ)))
        .where(Ends.of(filterId))
        .orderBy(Journals.SEQ)
        .limit(1)
        .fetchOptional(Journals.SEQ);
  }
}
