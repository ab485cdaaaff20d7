package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Folds;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
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
   * @param generations their sizes, oldest first; they get their numbers here
   * @param renewed true if these generations replaced earlier ones
   * @param token tells this import from another one with the same name
   * @throws FilterExistsException if a filter of that name exists or is being made
   */
  public static FilterRecord begin(
      Tx tx, NewFilter filter, List<GenerationRecord> generations, boolean renewed, long token) {
    Optional<FilterRecord> present = Catalog.find(tx, filter.name());
    if (present.isPresent()) {
      if (isMine(present.get().head(), token)) {
        return present.get();
      }
      throw ReservationRows.exists(present.get(), present.get().head().state());
    }
    long id =
        ReservationRows.insertWithoutGeneration(tx, null, filter, token)
            .orElseThrow(() -> ReservationRows.taken(filter.name()));
    long generationToken = 0;
    for (int i = 0; i < generations.size(); i++) {
      boolean newest = i == generations.size() - 1;
      generationToken = i > 0 || (newest && renewed) ? Tokens.next() : 0;
      insert(tx, id, i, generations.get(i), generationToken);
    }
    long lastSeq = lastSeq(generations.size(), filter.removable());
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.STATE, FilterState.IMPORTING.name())
        .set(Filters.IMPORTED, true)
        .set(Filters.GENERATION_TOKEN, generationToken)
        .set(Filters.BUCKET, GenerationRows.number(newest(generations).bucket()))
        .where(Filters.ID.eq(id))
        .execute();
    tx.dsl().update(Ends.TABLE).set(Ends.LAST_SEQ, lastSeq).where(Ends.of(id)).execute();
    tx.dsl()
        .update(Folds.TABLE)
        .set(Folds.FOLDED_SEQ, lastSeq)
        .where(Folds.FILTER_ID.eq(id))
        .execute();
    return Catalog.find(tx, id).orElseThrow();
  }

  /**
   * Returns the number of the newest entry of a filter right after its import. Its rows look as if
   * each generation but the first had been begun by an entry that was folded and trimmed, and as if
   * one more entry had removed all that is removed.
   */
  public static long lastSeq(int generations, boolean removable) {
    return generations - 1L + (removable ? 1 : 0);
  }

  private static void insert(
      Tx tx, long filterId, int sinceSeq, GenerationRecord generation, long token) {
    tx.dsl()
        .insertInto(Generations.TABLE)
        .set(Generations.FILTER_ID, filterId)
        .set(Generations.GENERATION, sinceSeq + 1)
        .set(Generations.STATE, GenerationState.ACTIVE.name())
        .set(Generations.STATE_TOKEN, token)
        .set(Generations.CAPACITY, generation.capacity())
        .set(Generations.RATE, generation.falsePositiveRate())
        .set(Generations.BITS, generation.parameters().bits())
        .set(Generations.HASHES, generation.parameters().hashes())
        .set(Generations.SINCE_SEQ, (long) sinceSeq)
        .set(Generations.SINCE_TOKEN, token)
        .set(Generations.BUCKET, GenerationRows.number(generation.bucket()))
        .set(Generations.CREATED_AT, Tables.UTC_NOW)
        .execute();
  }

  private static GenerationRecord newest(List<GenerationRecord> generations) {
    return generations.get(generations.size() - 1);
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
    return Catalog.lockHead(tx, filterId)
        .filter(head -> isMine(head, token))
        .flatMap(head -> FoldRows.lock(tx, filterId));
  }

  /**
   * Makes the filter usable. Needs the lock of {@link #lock}.
   *
   * @param keysAdded keys that count as added
   * @param keysRemoved removed keys whose bits are set
   */
  public static void activate(Tx tx, long filterId, long keysAdded, long keysRemoved) {
    Catalog.setState(tx, filterId, FilterState.ACTIVE);
    Catalog.setKeysAdded(tx, filterId, keysAdded);
    Catalog.setKeysRemoved(tx, filterId, keysRemoved);
  }

  /** Returns true if the import is not finished and no process worked on it for the given time. */
  public static boolean isAbandoned(Tx tx, FilterRecord filter, Duration idle) {
    return filter.head().state() == FilterState.IMPORTING
        && !FoldRows.writtenWithin(tx, filter.id(), idle);
  }
}
