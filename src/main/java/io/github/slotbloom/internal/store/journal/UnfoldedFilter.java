package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.CatalogRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.SessionFitness;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * A filter with its manifest, and the entries that its slots may lack. All of it is read in one
 * statement, so it is as it was at one moment.
 *
 * @param tail begins after the last folded entry
 */
public record UnfoldedFilter(FilterRecord filter, Tail tail) {

  /** One of the rows has the manifest, which may be long; the others have entries. */
  private static final Field<Integer> PART = DSL.field(name("part"), SQLDataType.INTEGER);

  private static final int MANIFEST = 0;
  private static final int ENTRIES = 1;

  private static final Field<String> MANIFEST_TEXT =
      DSL.when(PART.eq(inline(MANIFEST)), Filters.MANIFEST).as(Filters.MANIFEST);

  private static final Table<?> PARTS =
      select(inline(MANIFEST).as(PART)).unionAll(select(inline(ENTRIES))).asTable("parts");

  /**
   * Reads an opened filter as it is now.
   *
   * @return empty if the filter is gone, even if another filter has its id since
   * @throws FilterNotFoundException if it was renamed
   * @throws CorruptFilterException if the rows of the journal do not lead to its end
   */
  public static Optional<UnfoldedFilter> read(Tx tx, FilterRecord opened) {
    Result<Record> rows =
        tx.dsl()
            .select(PART)
            .select(Catalog.FILTER)
            .select(MANIFEST_TEXT)
            .select(Folds.FOLDED_SEQ)
            .select(SessionFitness.field(tx))
            .select(JournalEntry.FIELDS)
            .from(Catalog.HEAD_ROWS)
            .leftJoin(Folds.TABLE)
            .on(Folds.FILTER_ID.eq(Filters.ID))
            .crossJoin(PARTS)
            .leftJoin(Journals.TABLE)
            .on(
                PART.eq(inline(ENTRIES))
                    .and(Journals.FILTER_ID.eq(Filters.ID))
                    .and(Journals.SEQ.gt(Folds.FOLDED_SEQ))
                    .and(Journals.SEQ.le(Folds.FOLDED_SEQ.plus(JournalEntry.PAGE))))
            .where(Filters.ID.eq(opened.id()))
            .fetch();
    if (rows.isEmpty()) {
      SessionFitness.requireKnown(tx);
      return Optional.empty();
    }
    SessionFitness.require(tx, rows.get(0));
    FilterRecord now =
        CatalogRows.filter(
            rows.stream().filter(row -> row.get(PART) == MANIFEST).findFirst().orElseThrow());
    // The server would sort the payloads of the entries as well.
    return opened.isNow(now)
        ? Optional.of(new UnfoldedFilter(now, tail(now, rows.sortAsc(Journals.SEQ))))
        : Optional.empty();
  }

  private static Tail tail(FilterRecord filter, Result<Record> rows) {
    long foldedSeq = TailReader.foldedSeq(filter, rows.get(0));
    List<JournalEntry> entries = TailReader.entries(filter, filter.head(), rows);
    Tail tail = new Tail(filter.head(), foldedSeq, foldedSeq, entries);
    TailReader.requireChain(filter, tail);
    return tail;
  }
}
