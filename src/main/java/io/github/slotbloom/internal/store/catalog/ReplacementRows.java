package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Replacements;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.ReplacementRecord;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.report.Replacement.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.SQLDataType;

/**
 * Reads and writes the table {@code bloom_replacement}: the progress of a replacement, and the
 * process that works on it. Except for {@link #live}, rows are written only under the lock of
 * {@link HeadLock#take}.
 */
public final class ReplacementRows {

  private static final Field<Long> BEGUN_MILLIS =
      Tables.millisOf(Replacements.BEGUN_AT).as("begun_millis");
  private static final Field<Long> UPDATED_MILLIS =
      Tables.millisOf(Replacements.UPDATED_AT).as("updated_millis");

  private ReplacementRows() {}

  public static void insert(
      Tx tx,
      long filterId,
      FilterHead head,
      GenerationRecord generation,
      long owner,
      String source) {
    tx.dsl()
        .insertInto(Replacements.TABLE)
        .set(Replacements.FILTER_ID, filterId)
        .set(Replacements.GENERATION, generation.number())
        .set(Replacements.CAPACITY, generation.capacity())
        .set(Replacements.KEYS_BEFORE, head.keysAdded())
        .set(Replacements.OWNER, owner)
        .set(Replacements.SOURCE, source)
        .set(Replacements.PHASE, Phase.REPLAYING.name())
        .set(Replacements.KEYS_READ, 0L)
        .set(Replacements.BEGUN_AT, Tables.UTC_NOW)
        .set(Replacements.UPDATED_AT, Tables.UTC_NOW)
        .execute();
  }

  /**
   * Returns the progress of the filter's replacement, if there is one.
   *
   * @param idleAfter a process that wrote nothing for this time, by the server's clock, may be
   *     considered dead
   */
  public static Optional<ReplacementRecord> find(Tx tx, FilterRecord filter, Duration idleAfter) {
    Field<Boolean> idle =
        field(
                "({3} = 0 OR TIMESTAMPDIFF(MICROSECOND, {0}, {1}) >= {2})",
                SQLDataType.BOOLEAN,
                Replacements.UPDATED_AT,
                Tables.UTC_NOW,
                val(idleAfter.toNanos() / 1000),
                Replacements.OWNER)
            .as("idle");
    return tx.dsl()
        .select(
            List.of(
                Replacements.GENERATION,
                Replacements.CAPACITY,
                Replacements.KEYS_BEFORE,
                Replacements.OWNER,
                Replacements.SOURCE,
                Replacements.PHASE,
                Replacements.KEYS_READ,
                BEGUN_MILLIS,
                UPDATED_MILLIS,
                idle))
        .from(Replacements.TABLE)
        .where(Replacements.FILTER_ID.eq(filter.id()))
        .fetchOptional(
            row ->
                new ReplacementRecord(
                    progress(filter, row), row.get(Replacements.OWNER), row.get(idle)));
  }

  private static Replacement progress(FilterRecord filter, Record row) {
    return new Replacement(
        filter.name().value(),
        row.get(Replacements.GENERATION),
        row.get(Replacements.CAPACITY),
        row.get(Replacements.SOURCE),
        Phase.valueOf(row.get(Replacements.PHASE)),
        row.get(Replacements.KEYS_READ),
        row.get(Replacements.KEYS_BEFORE),
        Instant.ofEpochMilli(row.get(BEGUN_MILLIS)),
        Instant.ofEpochMilli(row.get(UPDATED_MILLIS)));
  }

  /**
   * Makes another process the owner.
   *
   * @param source where the keys of that process come from
   */
  public static void takeOver(Tx tx, long filterId, long owner, String source) {
    tx.dsl()
        .update(Replacements.TABLE)
        .set(Replacements.OWNER, owner)
        .set(Replacements.SOURCE, source)
        .set(Replacements.UPDATED_AT, Tables.UTC_NOW)
        .where(Replacements.FILTER_ID.eq(filterId))
        .execute();
  }

  /**
   * Records the progress.
   *
   * @return false, with nothing changed, if that process no longer owns the replacement
   */
  public static boolean progress(Tx tx, long filterId, long owner, Phase phase, long keysRead) {
    boolean owned =
        tx.dsl()
            .fetchExists(
                selectOne()
                    .from(Replacements.TABLE)
                    .where(Replacements.FILTER_ID.eq(filterId))
                    .and(Replacements.OWNER.eq(owner)));
    if (owned) {
      tx.dsl()
          .update(Replacements.TABLE)
          .set(Replacements.PHASE, phase.name())
          .set(Replacements.KEYS_READ, keysRead)
          .set(Replacements.UPDATED_AT, Tables.UTC_NOW)
          .where(Replacements.FILTER_ID.eq(filterId))
          .execute();
    }
    return owned;
  }

  /** Records that a process still works on the replacement, if it is the owner. */
  public static void live(Tx tx, long filterId, long owner) {
    tx.dsl()
        .update(Replacements.TABLE)
        .set(Replacements.UPDATED_AT, Tables.UTC_NOW)
        .where(Replacements.FILTER_ID.eq(filterId))
        .and(Replacements.OWNER.eq(owner))
        .execute();
  }

  /** Lets another process take over at once, if the given process is the owner. */
  public static void release(Tx tx, long filterId, long owner) {
    tx.dsl()
        .update(Replacements.TABLE)
        .set(Replacements.OWNER, 0L)
        .where(Replacements.FILTER_ID.eq(filterId))
        .and(Replacements.OWNER.eq(owner))
        .execute();
  }

  /** Deletes the row of a replacement, whatever its outcome. */
  public static void delete(Tx tx, long filterId) {
    tx.dsl().deleteFrom(Replacements.TABLE).where(Replacements.FILTER_ID.eq(filterId)).execute();
  }
}
