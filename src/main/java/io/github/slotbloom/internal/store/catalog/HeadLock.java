package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterMake;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.CallerTransaction;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.TimeLimit;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SelectQuery;
import org.jooq.impl.SQLDataType;

/**
 * Locks the head of a filter: whoever holds it until the end of its transaction is the only one who
 * appends to the journal of the filter.
 */
public final class HeadLock {

  private static final Field<Boolean> AUTOCOMMIT =
      field("@@SESSION.autocommit", SQLDataType.BOOLEAN).as("autocommit_mode");

  private HeadLock() {}

  /**
   * Locks the row of a filter that is not open here until the transaction ends, and reads its
   * changing part.
   */
  public static Optional<FilterHead> take(Tx tx, long filterId) {
    return tx.dsl()
        .select(Catalog.HEAD)
        .select(Filters.NAME)
        .from(Catalog.HEAD_ROWS)
        .where(Filters.ID.eq(filterId))
        .forUpdate()
        .fetchOptional(row -> CatalogRows.head(new FilterName(row.get(Filters.NAME)), row));
  }

  /**
   * Locks the row of an opened filter until the transaction ends, and reads its changing part.
   *
   * @return empty if the filter is gone, even if another filter has its id since
   * @throws FilterNotFoundException if the filter was renamed
   * @throws UnsupportedVersionException if a later version changed the filter
   * @throws CorruptFilterException if a value that never changes was changed
   */
  public static Optional<FilterHead> take(Tx tx, FilterRecord opened) {
    return tx.dsl()
        .select(Catalog.HEAD)
        .select(FilterMake.FIELDS)
        .from(Catalog.HEAD_ROWS)
        .where(Filters.ID.eq(opened.id()))
        .forUpdate()
        .fetchOptional()
        .flatMap(row -> headOf(opened, row));
  }

  /**
   * Does the same for a transaction that changes more than the journal. Where several servers take
   * writes, a lock is known to one of them only. So the row of the end is written as well: of two
   * transactions that do so on two servers, one is rolled back.
   */
  public static Optional<FilterHead> takeOnAllServers(Tx tx, FilterRecord opened) {
    Optional<FilterHead> head = take(tx, opened);
    if (head.isPresent() && tx.group().isShared()) {
      fenceOff(tx, opened.id(), Tokens.next());
    }
    return head;
  }

  private static Optional<FilterHead> headOf(FilterRecord opened, Record row) {
    FilterMake before = opened.make();
    FilterMake now = FilterMake.of(row);
    before.requireNotRenamed(now);
    if (!before.isSameFilterAs(now)) {
      return Optional.empty();
    }
    FilterHead head = CatalogRows.head(opened.name(), row);
    before.requireUnchanged(now);
    return Optional.of(head);
  }

  /**
   * Locks like {@link #take(Tx, FilterRecord)}, where the transaction and the schema may be the
   * wrong ones.
   *
   * @param atMost the longest time to wait for the lock
   * @return empty if this schema does not hold that same filter
   * @throws FilterNotFoundException if the filter was renamed
   * @throws TransactionStateException if the server autocommits each statement, whatever the driver
   *     reports
   * @throws DatabaseFailure if the server takes no writes, or the session does not replicate, even
   *     if the account may write there
   */
  public static Optional<FilterHead> take(Tx tx, FilterRecord opened, Duration atMost) {
    Field<Boolean> mayWrite = field(tx.conditions().writes(), SQLDataType.BOOLEAN).as("may_write");
    SelectQuery<Record> query =
        tx.dsl()
            .select(Catalog.HEAD)
            .select(FilterMake.FIELDS)
            .select(AUTOCOMMIT)
            .select(mayWrite)
            .from(Catalog.HEAD_ROWS)
            .where(Filters.ID.eq(opened.id()))
            .forUpdate()
            .getQuery();
    Result<Record> rows = TimeLimit.fetch(tx, query, atMost);
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Record row = rows.get(0);
    if (row.get(AUTOCOMMIT)) {
      throw CallerTransaction.required(opened.name());
    }
    if (!row.get(mayWrite)) {
      throw DatabaseFailure.ofSecondary();
    }
    return headOf(opened, row);
  }

  /**
   * Makes an append fail that was sent earlier by a process that knew the present end, and that may
   * arrive later than this transaction commits. Where several servers take writes, either such an
   * append fails or this transaction does. Needs the lock of {@link #take}.
   *
   * @param token a token from {@link Tokens#next}
   */
  public static void fenceOff(Tx tx, long filterId, long token) {
    tx.dsl().update(Ends.TABLE).set(Ends.FENCE, token).where(Ends.of(filterId)).execute();
  }
}
