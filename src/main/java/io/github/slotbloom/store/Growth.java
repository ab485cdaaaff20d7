package io.github.slotbloom.store;

import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.store.Tables.Filters;
import io.github.slotbloom.store.Tables.Generations;
import io.github.slotbloom.store.Tables.Names;
import java.util.List;
import java.util.Optional;

/**
 * The rows of a generation that a filter grows by: first a number, then, once its slot table is
 * there, the journal entry that begins it. Thread-safe.
 */
public final class Growth {

  private final Catalog catalog = new Catalog();
  private final Journal journal = new Journal();

  /** The number of the generation that was begun and not finished, if there is one. */
  public Optional<Integer> unfinished(Tx tx, long filterId) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filterId))
        .and(Generations.STATE.eq(Catalog.CREATING))
        .fetchOptional(Generations.GENERATION);
  }

  /**
   * Gives the next generation its number, or finds the one that was begun and not finished. Needs
   * the lock of {@link Catalog#lockHead}.
   *
   * @param draft what it is to be like, as far as that is known yet
   */
  public int begin(Tx tx, FilterRecord filter, GenerationRecord draft) {
    Optional<Integer> unfinished = unfinished(tx, filter.id());
    if (unfinished.isPresent()) {
      return unfinished.get();
    }
    tx.dsl()
        .update(Names.TABLE)
        .set(Names.NEXT_GENERATION, draft.number() + 1)
        .where(Names.NAME.eq(filter.name().value()))
        .execute();
    tx.dsl()
        .insertInto(Generations.TABLE)
        .set(Generations.FILTER_ID, filter.id())
        .set(Generations.GENERATION, draft.number())
        .set(Generations.STATE, Catalog.CREATING)
        .set(Generations.CAPACITY, draft.capacity())
        .set(Generations.RATE, draft.falsePositiveRate())
        .set(Generations.BITS, draft.parameters().bits())
        .set(Generations.HASHES, draft.parameters().hashes())
        .set(Generations.SLOT_TABLE, draft.slotTable())
        .set(Generations.CREATED_AT, Tables.UTC_NOW)
        .execute();
    return draft.number();
  }

  /**
   * Lets the keys of all later entries go to the generation. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param head what was read under the lock
   * @param generation begins with the entry that follows the head
   * @param capacity keys that all generations together are made for
   * @return false, with nothing changed, if the generation was not begun
   */
  public boolean finish(
      Tx tx, long filterId, FilterHead head, GenerationRecord generation, long capacity) {
    int rows =
        tx.dsl()
            .update(Generations.TABLE)
            .set(Generations.STATE, Catalog.ACTIVE)
            .set(Generations.CAPACITY, generation.capacity())
            .set(Generations.RATE, generation.falsePositiveRate())
            .set(Generations.BITS, generation.parameters().bits())
            .set(Generations.HASHES, generation.parameters().hashes())
            .set(Generations.SINCE_SEQ, generation.sinceSeq())
            .set(Generations.SINCE_TOKEN, generation.sinceToken())
            .where(Generations.FILTER_ID.eq(filterId))
            .and(Generations.GENERATION.eq(generation.number()))
            .and(Generations.STATE.eq(Catalog.CREATING))
            .execute();
    if (rows == 0) {
      return false;
    }
    journal.append(tx, catalog, filterId, List.of(JournalEntry.beginning(generation, head.end())));
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.CAPACITY, capacity)
        .set(Filters.GENERATION_TOKEN, generation.sinceToken())
        .set(Filters.FORMAT_VERSION, greatest(Filters.FORMAT_VERSION, val(Catalog.GROWN_FORMAT)))
        .where(Filters.ID.eq(filterId))
        .execute();
    return true;
  }
}
