package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.selectOne;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the generations of a filter. A new generation first gets a number. Once its slot table
 * exists, a journal entry begins it. If it is to replace the others, another entry cuts over to it
 * or gives it up.
 */
public final class GenerationRows {

  /** The states of a generation that nothing was written to. */
  private static final List<GenerationState> UNUSED =
      List.of(GenerationState.CREATING, GenerationState.READY);

  private GenerationRows() {}

  /**
   * Returns the number of the next generation, which may have been begun and not finished. It stays
   * true only under the lock of {@link Catalog#lockHead}. Generations are numbered without gaps.
   */
  public static int next(Tx tx, FilterRecord filter) {
    return 1
        + tx.dsl()
            .select(max(Generations.GENERATION))
            .from(Generations.TABLE)
            .where(Generations.FILTER_ID.eq(filter.id()))
            .and(Catalog.IS_BEGUN)
            .fetchSingle()
            .value1();
  }

  /**
   * Gives a generation its number, unless it has its row already. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param draft the values of the generation, as far as they are known yet
   */
  public static void begin(Tx tx, FilterRecord filter, GenerationRecord draft) {
    tx.dsl()
        .insertInto(Generations.TABLE)
        .set(Generations.FILTER_ID, filter.id())
        .set(Generations.GENERATION, draft.number())
        .set(Generations.STATE, GenerationState.CREATING.name())
        .set(Generations.CAPACITY, draft.capacity())
        .set(Generations.RATE, draft.falsePositiveRate())
        .set(Generations.BITS, draft.parameters().bits())
        .set(Generations.HASHES, draft.parameters().hashes())
        .set(Generations.CREATED_AT, Tables.UTC_NOW)
        .onDuplicateKeyIgnore()
        .execute();
  }

  /**
   * Makes the generation take the new keys of all later entries. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param head the head that was read under the lock
   * @param generation begins with the entry that follows the head
   * @param capacity keys that all generations together are made for
   * @return false, with nothing changed, if the generation was not begun
   */
  public static boolean finish(
      Tx tx, long filterId, FilterHead head, GenerationRecord generation, long capacity) {
    boolean begun = describe(tx, filterId, generation, GenerationState.ACTIVE, UNUSED);
    if (begun) {
      append(tx, filterId, JournalEntry.beginning(Kind.GROW, generation, head.end()));
      changed(tx, filterId, generation.sinceToken(), capacity);
    }
    return begun;
  }

  /**
   * Makes the generation take the new keys of all later entries, along with the present
   * generations, which it is to replace. The capacity of the filter stays that of the present ones,
   * because only they answer until {@link #cutOver}. Needs the lock of {@link Catalog#lockHead}.
   *
   * @param head the head that was read under the lock
   * @param generation begins with the entry that follows the head
   * @return false, with nothing changed, if the generation was not begun
   */
  public static boolean beginFilling(
      Tx tx, long filterId, FilterHead head, GenerationRecord generation) {
    boolean begun = describe(tx, filterId, generation, GenerationState.FILLING, UNUSED);
    if (begun) {
      append(tx, filterId, JournalEntry.beginning(Kind.REPLACE, generation, head.end()));
      changed(tx, filterId, generation.sinceToken(), head.capacity());
    }
    return begun;
  }

  private static boolean describe(
      Tx tx,
      long filterId,
      GenerationRecord generation,
      GenerationState state,
      List<GenerationState> before) {
    return tx.dsl()
            .update(Generations.TABLE)
            .set(Generations.STATE, state.name())
            .set(Generations.STATE_TOKEN, generation.sinceToken())
            .set(Generations.CAPACITY, generation.capacity())
            .set(Generations.RATE, generation.falsePositiveRate())
            .set(Generations.BITS, generation.parameters().bits())
            .set(Generations.HASHES, generation.parameters().hashes())
            .set(Generations.SINCE_SEQ, generation.sinceSeq())
            .set(Generations.SINCE_TOKEN, generation.sinceToken())
            .set(Generations.CUTOVER_SEQ, generation.cutoverSeq())
            .set(Generations.BUCKET, number(generation.bucket()))
            .where(Generations.FILTER_ID.eq(filterId))
            .and(Generations.GENERATION.eq(generation.number()))
            .and(Generations.STATE.in(before.stream().map(Enum::name).toList()))
            .execute()
        == 1;
  }

  static @Nullable Long number(@Nullable Bucket bucket) {
    return bucket == null ? null : bucket.number();
  }

  /**
   * Appends hashes of keys that the filter holds, for the generation that is being filled. Needs
   * the lock of {@link Catalog#lockHead}.
   *
   * @param head the head that was read under the lock
   */
  public static void fill(
      Tx tx, long filterId, FilterHead head, long[] hashes, LongSupplier tokens) {
    List<JournalEntry> entries = Journal.chain(head.end(), Kind.FILL, hashes, tokens);
    if (!entries.isEmpty()) {
      JournalAppend.append(tx, filterId, entries);
    }
  }

  /**
   * Cuts over to the filled generation: from the next entry on it answers alone, and its capacity
   * is that of the filter. Needs the lock of {@link Catalog#lockHead}.
   *
   * @param filter the filter as it is under the lock, with a generation that is being filled
   * @param token token of the entry
   */
  public static void cutOver(Tx tx, FilterRecord filter, long token) {
    JournalEntry entry = JournalEntry.ending(Kind.CUTOVER, filter.head().end(), token);
    retireActive(tx, filter.id());
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.ACTIVE.name())
        .set(Generations.STATE_TOKEN, token)
        .set(Generations.CUTOVER_SEQ, entry.seq())
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.STATE.eq(GenerationState.FILLING.name()))
        .execute();
    append(tx, filter.id(), entry);
    long capacity = Objects.requireNonNull(filter.set().target()).capacity();
    changed(tx, filter.id(), token, capacity);
  }

  /**
   * Gives up the generation that is being filled, from the next entry on. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param filter the filter as it is under the lock, with a generation that is being filled
   * @param token token of the entry
   */
  public static void abort(Tx tx, FilterRecord filter, long token) {
    append(tx, filter.id(), JournalEntry.ending(Kind.ABORT, filter.head().end(), token));
    abandon(tx, filter, token);
  }

  /**
   * Gives up the generation like {@link #abort}, but without an entry, at the end of an epoch. No
   * reader gets beyond the end of an epoch, so none needs the entry.
   *
   * @param token a random token
   */
  public static void abandon(Tx tx, FilterRecord filter, long token) {
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.ABORTED.name())
        .set(Generations.STATE_TOKEN, token)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.STATE.eq(GenerationState.FILLING.name()))
        .execute();
    changed(tx, filter.id(), token, filter.capacity());
  }

  private static void append(Tx tx, long filterId, JournalEntry entry) {
    JournalAppend.append(tx, filterId, List.of(entry));
  }

  /** Changes the head, so that every reader of the head sees that the generations changed. */
  private static void changed(Tx tx, long filterId, long token, long capacity) {
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.CAPACITY, capacity)
        .set(Filters.GENERATION_TOKEN, token)
        .where(Filters.ID.eq(filterId))
        .execute();
  }

  /**
   * Makes the newest generation answer alone, with another size. No generation may have a set bit.
   * Needs the lock of {@link Catalog#lockHead}.
   *
   * @param generation the newest generation with its new values and a new token
   */
  public static void renew(Tx tx, long filterId, GenerationRecord generation) {
    retireActive(tx, filterId);
    describe(tx, filterId, generation, GenerationState.ACTIVE, List.of(GenerationState.RETIRED));
    // A generation that was given up may be newer. The newest row must have the token of the head.
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE_TOKEN, generation.sinceToken())
        .where(Generations.FILTER_ID.eq(filterId))
        .and(Catalog.IS_BEGUN)
        .orderBy(Generations.GENERATION.desc())
        .limit(1)
        .execute();
    changed(tx, filterId, generation.sinceToken(), generation.capacity());
  }

  private static void retireActive(Tx tx, long filterId) {
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.RETIRED.name())
        .where(Generations.FILTER_ID.eq(filterId))
        .and(Generations.STATE.eq(GenerationState.ACTIVE.name()))
        .execute();
  }

  /** Returns true if there are slot tables that are no longer needed. */
  public static boolean hasLeftTables(Tx tx, long filterId) {
    return !leftGenerations(tx, filterId).isEmpty();
  }

  /** Returns true if slot tables of replaced generations are still to be dropped. */
  public static boolean hasRetired(Tx tx, long filterId) {
    return tx.dsl()
        .fetchExists(
            selectOne()
                .from(Generations.TABLE)
                .where(Generations.FILTER_ID.eq(filterId))
                .and(Generations.STATE.eq(GenerationState.RETIRED.name())));
  }

  /** Returns the numbers of the generations whose slot tables are no longer needed. */
  public static List<Integer> leftGenerations(Tx tx, long filterId) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filterId))
        .and(Generations.STATE.in(GenerationState.RETIRED.name(), GenerationState.ABORTED.name()))
        .orderBy(Generations.GENERATION)
        .fetch(Generations.GENERATION);
  }

  /** Records that the slot table of a generation that is no longer needed is gone. */
  public static void dropped(Tx tx, long filterId, int generation) {
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.DROPPED.name())
        .where(Generations.FILTER_ID.eq(filterId))
        .and(Generations.GENERATION.eq(generation))
        .and(Generations.STATE.in(GenerationState.RETIRED.name(), GenerationState.ABORTED.name()))
        .execute();
  }

  /**
   * Returns the numbers of generations that do not answer, although no operation took them out of
   * use. Replaced generations do not count, as they are older than the oldest that answers.
   * Abandoned ones do not count, as giving a generation up changes its token.
   */
  public static List<Integer> outOfUse(Tx tx, FilterRecord filter) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.GENERATION.gt(filter.generations().get(0).number()))
        .and(
            Generations.STATE.in(
                GenerationState.RETIRED.name(),
                GenerationState.ABORTED.name(),
                GenerationState.DROPPED.name()))
        .and(Generations.STATE_TOKEN.eq(Generations.SINCE_TOKEN))
        .orderBy(Generations.GENERATION)
        .fetch(Generations.GENERATION);
  }
}
