package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.SlotTableRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.session.TimeLimit;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SelectQuery;
import org.jooq.impl.DSL;

/**
 * Reads and writes the table {@code bloom_table}: which tables of slots may be on the server. A
 * table is named by the number of its generation, and each number is used once. So the manifest
 * tells of each row whether its table is in use, waits for its generation to begin, or is left.
 *
 * <p>A manifest that leaves a table writes nothing here: transactions of callers may share the row.
 * Statements that may run in a transaction of a caller name each row: under REPEATABLE READ a range
 * would also lock its neighbors, where other filters have their rows.
 */
public final class TableRows {

  private TableRows() {}

  /**
   * Says that the table of a generation is about to be made, unless that was said before.
   *
   * @return true if it is known to be there
   */
  public static boolean begin(Tx tx, long filterId, int generation) {
    tx.dsl()
        .insertInto(SlotTableRows.TABLE)
        .set(SlotTableRows.FILTER_ID, filterId)
        .set(SlotTableRows.GENERATION, generation)
        .onDuplicateKeyIgnore()
        .execute();
    return isMade(tx, filterId, generation);
  }

  /**
   * Returns true if the table of a generation is known to be there, whatever snapshot the
   * transaction has.
   */
  public static boolean isMade(Tx tx, long filterId, int generation) {
    return tx.dsl()
        .select(SlotTableRows.MADE)
        .from(SlotTableRows.TABLE.forceIndex("PRIMARY"))
        .where(is(filterId, generation))
        .forShare()
        .fetchOptional(SlotTableRows.MADE)
        .orElse(false);
  }

  /** Says that the table exists. This comes after it in the log of changes. */
  public static void made(Tx tx, long filterId, int generation) {
    tx.dsl()
        .update(SlotTableRows.TABLE)
        .set(SlotTableRows.MADE, true)
        .where(is(filterId, generation))
        .execute();
  }

  /** Says which entry began a generation. */
  public static void begun(Tx tx, long filterId, GenerationRecord generation) {
    tx.dsl()
        .update(SlotTableRows.TABLE)
        .set(SlotTableRows.TOKEN, generation.sinceToken())
        .where(is(filterId, generation.number()))
        .execute();
  }

  private static Condition is(long filterId, int generation) {
    return SlotTableRows.FILTER_ID.eq(filterId).and(SlotTableRows.GENERATION.eq(generation));
  }

  /**
   * Takes a shared lock on the row of a generation until the transaction ends. Use it where the
   * transaction and the schema may be the wrong ones. The lock delays only {@link #awaitSharers}.
   * It does not delay other holders of the shared lock, or transactions that add. The row of a
   * window is only read: nothing waits for sharers there.
   *
   * @param atMost the longest time to wait for a transaction with an exclusive lock
   * @return false if this schema does not hold that same generation
   */
  public static boolean share(Tx tx, long filterId, GenerationRecord generation, Duration atMost) {
    SelectQuery<Record> query =
        tx.dsl()
            .select(List.of(SlotTableRows.TOKEN))
            .from(SlotTableRows.TABLE.forceIndex("PRIMARY"))
            .where(is(filterId, generation.number()))
            .limit(1)
            .getQuery();
    query.setForShare(generation.bucket() == null);
    Result<Record> rows = TimeLimit.fetch(tx, query, atMost);
    return rows.size() == 1 && rows.get(0).get(SlotTableRows.TOKEN) == generation.sinceToken();
  }

  /**
   * Waits until the transactions that share the row of an older generation have ended. These are
   * the transactions that hold the lock of {@link #share} when this is called.
   *
   * @param atMost the longest time to wait in one call
   * @throws DatabaseFailure that is replayable, if some of them have not ended by then
   */
  public static void awaitSharers(Tx tx, long filterId, int generation, Duration atMost) {
    SelectQuery<Record> query =
        tx.dsl()
            .select(List.of(SlotTableRows.GENERATION))
            .from(SlotTableRows.TABLE.forceIndex("PRIMARY"))
            .where(SlotTableRows.FILTER_ID.eq(filterId))
            .and(SlotTableRows.GENERATION.lt(generation))
            .forUpdate()
            .getQuery();
    TimeLimit.fetch(tx, query, atMost);
  }

  /** The state of the table of a generation, as its row has it. */
  public record TableRow(int generation, long token, boolean made) {}

  /** Returns the rows of a filter, in the order of the generations. */
  public static List<TableRow> all(Tx tx, long filterId) {
    return tx.dsl()
        .select(SlotTableRows.GENERATION, SlotTableRows.TOKEN, SlotTableRows.MADE)
        .from(SlotTableRows.TABLE)
        .where(SlotTableRows.FILTER_ID.eq(filterId))
        .orderBy(SlotTableRows.GENERATION)
        .fetch(row -> new TableRow(row.value1(), row.value2(), row.value3()));
  }

  /**
   * Returns the names of all tables of slots that a filter may have. Somebody may have deleted the
   * row of one that is in use, and an operator may have made the next one.
   */
  public static List<String> names(Tx tx, FilterRecord filter) {
    Manifest manifest = filter.manifest();
    IntStream rows = all(tx, filter.id()).stream().mapToInt(TableRow::generation);
    IntStream used = manifest.all().stream().mapToInt(GenerationRecord::number);
    return IntStream.concat(IntStream.concat(rows, used), IntStream.of(manifest.next()))
        .distinct()
        .sorted()
        .mapToObj(filter.tables()::slots)
        .toList();
  }

  /** Returns the numbers of the generations whose rows are there, and that are not used anymore. */
  public static List<Integer> left(Tx tx, FilterRecord filter) {
    return left(tx, filter, DSL.noCondition());
  }

  /** Returns those of {@link #left} whose tables are there. */
  public static List<Integer> leftAndMade(Tx tx, FilterRecord filter) {
    return left(tx, filter, SlotTableRows.MADE.isTrue());
  }

  /** Returns those of {@link #left} whose tables may be there, since that long. */
  public static List<Integer> leftFor(Tx tx, FilterRecord filter, Duration time) {
    return left(tx, filter, SlotTableRows.MADE.isTrue().and(hasLeftFor(time)));
  }

  /** Returns those of {@link #left} whose tables were dropped, after having been left that long. */
  public static List<Integer> goneFor(Tx tx, FilterRecord filter, Duration time) {
    return left(tx, filter, SlotTableRows.MADE.isFalse().and(hasLeftFor(time)));
  }

  /** A time that is still to come was noted while the clock was another one. */
  private static Condition hasLeftFor(Duration time) {
    return DSL.condition(
        "ABS(TIMESTAMPDIFF(MICROSECOND, {0}, {1})) >= {2}",
        SlotTableRows.LEFT_AT, Tables.UTC_NOW, DSL.val(time.toNanos() / 1000));
  }

  private static List<Integer> left(Tx tx, FilterRecord filter, Condition wanted) {
    List<Integer> used = filter.manifest().all().stream().map(GenerationRecord::number).toList();
    return tx.dsl()
        .select(SlotTableRows.GENERATION)
        .from(SlotTableRows.TABLE)
        .where(SlotTableRows.FILTER_ID.eq(filter.id()))
        .and(SlotTableRows.GENERATION.lt(filter.manifest().next()))
        .and(SlotTableRows.GENERATION.notIn(used))
        .and(wanted)
        .orderBy(SlotTableRows.GENERATION)
        .fetch(SlotTableRows.GENERATION);
  }

  /**
   * Notes that a table is left, unless that was noted before, or a transaction of a caller shares
   * the row: then somebody else notes it later.
   */
  public static void noteLeft(Tx tx, long filterId, int generation) {
    boolean free =
        tx.dsl()
            .select(SlotTableRows.GENERATION)
            .from(SlotTableRows.TABLE)
            .where(is(filterId, generation))
            .and(SlotTableRows.LEFT_AT.isNull())
            .forUpdate()
            .skipLocked()
            .fetchOptional()
            .isPresent();
    if (free) {
      tx.dsl()
          .update(SlotTableRows.TABLE)
          .set(SlotTableRows.LEFT_AT, Tables.UTC_NOW)
          .where(is(filterId, generation))
          .execute();
    }
  }

  /** Says that the table of a generation was dropped now. */
  public static void dropped(Tx tx, long filterId, int generation) {
    tx.dsl()
        .update(SlotTableRows.TABLE)
        .set(SlotTableRows.MADE, false)
        .set(SlotTableRows.LEFT_AT, Tables.UTC_NOW)
        .where(is(filterId, generation))
        .execute();
  }

  public static void delete(Tx tx, long filterId, int generation) {
    tx.dsl().deleteFrom(SlotTableRows.TABLE).where(is(filterId, generation)).execute();
  }
}
