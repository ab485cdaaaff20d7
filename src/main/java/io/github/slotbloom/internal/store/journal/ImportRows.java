package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.NewFilter;
import io.github.slotbloom.internal.store.catalog.ReservationRows;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Writes the rows of a filter that is made from another one. Nobody can use the filter before it is
 * complete.
 */
public final class ImportRows {

  private ImportRows() {}

  /**
   * Writes the rows of a filter that cannot be used yet. Can be repeated.
   *
   * @param filter the values of the new filter
   * @param generations oldest first
   * @param renewed true if these generations replaced earlier ones
   * @param keysRenewed the renewed keys in all buckets that count
   * @param lastSeq number of the newest entry of its source: the next one of either follows it
   * @param token tells this import from another one with the same name
   * @throws FilterExistsException if a filter of that name exists or is being made
   */
  public static FilterRecord begin(
      Tx tx,
      NewFilter filter,
      List<GenerationRecord> generations,
      boolean renewed,
      long keysRenewed,
      long lastSeq,
      long token) {
    Optional<FilterRecord> present = Catalog.find(tx, filter.name());
    if (present.isPresent()) {
      if (isMine(present.get().head(), token)) {
        return present.get();
      }
      throw ReservationRows.exists(present.get(), present.get().head().state());
    }
    Manifest manifest =
        Manifest.imported(generations, renewed || generations.size() > 1 ? Tokens.next() : 0);
    long id =
        ReservationRows.insert(tx, null, filter, token, bucket -> manifest)
            .orElseThrow(() -> ReservationRows.taken(filter.name()));
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, FilterState.IMPORTING.name())
        .set(Filters.IMPORTED, true)
        .where(Filters.ID.eq(id))
        .execute();
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.LAST_SEQ, lastSeq)
        .set(Ends.KEYS_RENEWED, filter.window() == null ? null : keysRenewed)
        .where(Ends.of(id))
        .execute();
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_SEQ, lastSeq)
        .where(Folds.FILTER_ID.eq(id))
        .execute();
    return Catalog.find(tx, id).orElseThrow();
  }

  private static boolean isMine(FilterHead head, long token) {
    return head.state() == FilterState.IMPORTING && head.lastToken() == token;
  }

  /**
   * Locks the rows until the transaction ends, and returns how far the import is, as {@link
   * FoldRows#mark} left it.
   *
   * @return empty if this import is over
   */
  public static Optional<FoldState> lock(Tx tx, long filterId, long token) {
    return HeadLock.take(tx, filterId)
        .filter(head -> isMine(head, token))
        .flatMap(head -> FoldRows.lock(tx, filterId));
  }

  /**
   * Makes the filter usable. Needs the lock of {@link #lock}.
   *
   * @param lastToken token of the newest entry of its source
   * @param keysAdded keys that count as added
   * @param keysRemoved removed keys whose bits are set
   */
  public static void activate(
      Tx tx, FilterRecord filter, long lastToken, long keysAdded, long keysRemoved) {
    endsAsImported(tx, filter.id(), lastToken);
    filter.generations().forEach(each -> TableRows.made(tx, filter.id(), each.number()));
    Catalog.setState(tx, filter.id(), FilterState.ACTIVE);
    Catalog.setKeysAdded(tx, filter.id(), keysAdded);
    Catalog.setKeysRemoved(tx, filter.id(), keysRemoved);
  }

  /**
   * Sets the end of the journal to an entry that an import wrote, and notes that it did. Needs the
   * lock of {@link HeadLock#take}.
   *
   * @param lastToken token of that entry
   */
  public static void endsAsImported(Tx tx, long filterId, long lastToken) {
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.LAST_TOKEN, lastToken)
        .set(Ends.IMPORTED_TOKEN, HashBlock.bytes(new long[] {lastToken}))
        .where(Ends.of(filterId))
        .execute();
  }

  /**
   * Returns true if nothing but imports has written to the journal since the filter was imported,
   * so that another delta may fit.
   */
  public static boolean isAsImported(Tx tx, FilterHead head, long filterId) {
    byte[] lastToken = HashBlock.bytes(new long[] {head.lastToken()});
    return tx.dsl()
        .fetchExists(Ends.TABLE, Ends.of(filterId).and(Ends.IMPORTED_TOKEN.eq(lastToken)));
  }

  /** Returns true if the import is not finished and no process worked on it for the given time. */
  public static boolean isAbandoned(Tx tx, long filterId, FilterHead head, Duration idle) {
    return head.state() == FilterState.IMPORTING && !FoldRows.writtenWithin(tx, filterId, idle);
  }
}
