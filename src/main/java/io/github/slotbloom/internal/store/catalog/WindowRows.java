package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.field;

import io.github.slotbloom.internal.store.Tables;
import io.github.slotbloom.internal.store.Tables.Ends;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record4;
import org.jooq.ResultQuery;
import org.jooq.SelectConditionStep;
import org.jooq.impl.SQLDataType;

/**
 * Reads and writes what filters have whose keys expire. Statements that may run in a transaction of
 * a caller name each row: under REPEATABLE READ a range would also lock its neighbors, where other
 * filters have their rows.
 */
public final class WindowRows {

  private static final Field<Long> NOW =
      field(Tables.MICROS_NOW, SQLDataType.BIGINT).as("micros_now");

  private WindowRows() {}

  /**
   * Returns the time of the database's clock, in microseconds since the start of 1970 in UTC. Call
   * it after the lock is there: the statement that takes a lock has the time at which it began to
   * wait.
   */
  public static long nowMicros(Tx tx) {
    return tx.dsl().select(NOW).fetchSingle(NOW);
  }

  /**
   * Marks a generation whose table was made, so that it can begin without DDL. Needs the lock of
   * {@link Catalog#lockHead}.
   */
  public static void ready(Tx tx, long filterId, int generation) {
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.READY.name())
        .where(is(filterId, generation))
        .and(Generations.STATE.eq(GenerationState.CREATING.name()))
        .execute();
  }

  /**
   * Returns true if the table of the generation after the newest is there. Needs the lock of {@link
   * Catalog#lockHead}.
   */
  public static boolean isNextReady(Tx tx, FilterRecord filter) {
    return tx.dsl()
        .select(Generations.STATE)
        .from(Generations.TABLE.forceIndex("PRIMARY"))
        .where(is(filter.id(), filter.newestGeneration().number() + 1))
        .limit(1)
        .forShare()
        .fetchOptional(Generations.STATE)
        .filter(GenerationState.READY.name()::equals)
        .isPresent();
  }

  /**
   * Returns what was counted in the buckets that are over, by the number of the generation that was
   * the last of its bucket. Needs the lock of {@link Catalog#lockHead}.
   */
  public static Map<Integer, KeyCounts> counted(Tx tx, FilterRecord filter) {
    return counts(selectCounts(tx, filter).forShare());
  }

  /** As {@link #counted}, for those who have no lock: another bucket may begin meanwhile. */
  public static Map<Integer, KeyCounts> countedLately(Tx tx, FilterRecord filter) {
    return counts(selectCounts(tx, filter));
  }

  private static SelectConditionStep<Record4<Integer, Long, Long, Long>> selectCounts(
      Tx tx, FilterRecord filter) {
    List<Integer> numbers = filter.generations().stream().map(GenerationRecord::number).toList();
    return tx.dsl()
        .select(
            Generations.GENERATION,
            Generations.KEYS_ADDED,
            Generations.KEYS_REMOVED,
            Generations.KEYS_RENEWED)
        .from(Generations.TABLE.forceIndex("PRIMARY"))
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.GENERATION.in(numbers));
  }

  private static Map<Integer, KeyCounts> counts(
      ResultQuery<Record4<Integer, Long, Long, Long>> rows) {
    Map<Integer, KeyCounts> counts = new HashMap<>();
    rows.forEach(
        row -> {
          if (row.value2() != null && row.value4() != null) {
            long removed = Objects.requireNonNullElse(row.value3(), 0L);
            counts.put(row.value1(), new KeyCounts(row.value2(), removed, row.value4()));
          }
        });
    return counts;
  }

  /**
   * Begins a bucket with a generation that is {@link #isNextReady ready}. Needs the lock of {@link
   * Catalog#lockHead}.
   *
   * @param filter the filter as it is under the lock
   * @param next the generation; it begins with the entry that follows the head
   * @param closed what was counted in the bucket that is over
   * @param left what the buckets that do not expire now count together
   * @param capacity keys that all generations together are made for from then on
   */
  public static void begin(
      Tx tx,
      FilterRecord filter,
      GenerationRecord next,
      KeyCounts closed,
      KeyCounts left,
      long capacity) {
    JournalEntry entry = JournalEntry.rotating(next, filter.head().end(), next.sinceToken());
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.KEYS_ADDED, closed.keys())
        .set(Generations.KEYS_RENEWED, closed.renewed())
        .set(Generations.KEYS_REMOVED, filter.removable() ? closed.removed() : null)
        .where(is(filter.id(), filter.newestGeneration().number()))
        .execute();
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE, GenerationState.ACTIVE.name())
        .set(Generations.STATE_TOKEN, next.sinceToken())
        .set(Generations.CAPACITY, next.capacity())
        .set(Generations.RATE, next.falsePositiveRate())
        .set(Generations.BITS, next.parameters().bits())
        .set(Generations.HASHES, next.parameters().hashes())
        .set(Generations.SINCE_SEQ, next.sinceSeq())
        .set(Generations.SINCE_TOKEN, next.sinceToken())
        .set(Generations.BUCKET, entry.bucket().number())
        .where(is(filter.id(), next.number()))
        .execute();
    rotate(tx, filter, entry, left, capacity);
  }

  /**
   * Lets the newest generation go on in a later bucket. Needs the lock of {@link Catalog#lockHead}.
   *
   * @param filter the filter as it is under the lock
   * @param newest its newest generation with the later bucket
   * @param left what the buckets that do not expire now count together
   * @param capacity keys that all generations together are made for from then on
   * @param token a random token
   */
  public static void goOn(
      Tx tx,
      FilterRecord filter,
      GenerationRecord newest,
      KeyCounts left,
      long capacity,
      long token) {
    JournalEntry entry = JournalEntry.rotating(newest, filter.head().end(), token);
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.STATE_TOKEN, token)
        .set(Generations.BUCKET, entry.bucket().number())
        .where(is(filter.id(), newest.number()))
        .execute();
    rotate(tx, filter, entry, left, capacity);
  }

  private static void rotate(
      Tx tx, FilterRecord filter, JournalEntry entry, KeyCounts left, long capacity) {
    FilterHead head = filter.head();
    long bucket = entry.bucket().number();
    List<Integer> expired =
        filter.generations().stream()
            .filter(generation -> !generation.answersIn(bucket))
            .map(GenerationRecord::number)
            .toList();
    if (!expired.isEmpty()) {
      tx.dsl()
          .update(Generations.TABLE)
          .set(Generations.STATE, GenerationState.RETIRED.name())
          .where(Generations.FILTER_ID.eq(filter.id()))
          .and(Generations.GENERATION.in(expired))
          .execute();
    }
    JournalAppend.append(
        tx,
        filter.id(),
        List.of(entry),
        new KeyCounts(
            left.keys() - head.keysAdded(),
            left.removed() - head.keysRemoved(),
            left.renewed() - head.keysRenewed()));
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.CAPACITY, capacity)
        .set(Filters.GENERATION_TOKEN, entry.token())
        .set(Filters.BUCKET, bucket)
        .where(Filters.ID.eq(filter.id()))
        .execute();
  }

  private static Condition is(long filterId, int generation) {
    return Generations.FILTER_ID.eq(filterId).and(Generations.GENERATION.eq(generation));
  }

  /**
   * Deletes the row of a generation that expired, whose table is gone. Only the oldest rows may be
   * deleted, in their order.
   */
  public static void delete(Tx tx, long filterId, int generation) {
    tx.dsl()
        .deleteFrom(Generations.TABLE)
        .where(is(filterId, generation))
        .and(Generations.STATE.in(GenerationState.RETIRED.name(), GenerationState.DROPPED.name()))
        .execute();
  }

  /**
   * Returns the numbers of generations that expired so long ago that nobody needs their tables,
   * oldest first. They are kept for one bucket longer than they answer.
   *
   * @param bucket the bucket that takes new keys
   */
  public static List<Integer> expiredGenerations(Tx tx, FilterRecord filter, long bucket) {
    return tx.dsl()
        .select(Generations.GENERATION)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.STATE.in(GenerationState.RETIRED.name(), GenerationState.DROPPED.name()))
        .and(Generations.GENERATION.lt(filter.generations().get(0).number()))
        .and(Generations.BUCKET.lt(bucket - buckets(filter) - 1))
        .orderBy(Generations.GENERATION)
        .fetch(Generations.GENERATION);
  }

  /**
   * Takes over what was counted in a window that is being imported. Repeating it is safe.
   *
   * @param counted what was counted in each bucket that is over, by the place of its last
   *     generation; the newest bucket is not over
   * @param keysRenewed the renewed keys in all buckets that count
   */
  public static void imported(
      Tx tx, FilterRecord filter, List<KeyCounts> counted, long keysRenewed) {
    List<GenerationRecord> generations = filter.generations();
    for (int place = 0; place < generations.size(); place++) {
      if (!generations.get(place).isInBucketOf(filter.newestGeneration())) {
        tx.dsl()
            .update(Generations.TABLE)
            .set(Generations.KEYS_ADDED, counted.get(place).keys())
            .set(Generations.KEYS_RENEWED, counted.get(place).renewed())
            .set(Generations.KEYS_REMOVED, filter.removable() ? counted.get(place).removed() : null)
            .where(is(filter.id(), generations.get(place).number()))
            .execute();
      }
    }
    tx.dsl()
        .update(Ends.TABLE)
        .set(Ends.KEYS_RENEWED, keysRenewed)
        .where(Ends.of(filter.id()))
        .execute();
  }

  private static int buckets(FilterRecord filter) {
    return Objects.requireNonNull(filter.window()).buckets();
  }

  /**
   * Forgets what was counted in the buckets of a filter that is being cleared. Needs the lock of
   * {@link Catalog#lockHead}.
   *
   * @param capacity keys that the newest bucket is made for
   */
  public static void clear(Tx tx, FilterRecord filter, long capacity) {
    tx.dsl()
        .update(Generations.TABLE)
        .set(Generations.KEYS_ADDED, 0L)
        .set(Generations.KEYS_RENEWED, 0L)
        .set(Generations.KEYS_REMOVED, filter.removable() ? 0L : null)
        .where(Generations.FILTER_ID.eq(filter.id()))
        .and(Generations.KEYS_ADDED.isNotNull())
        .execute();
    tx.dsl()
        .update(Filters.TABLE)
        .set(Filters.CAPACITY, capacity)
        .where(Filters.ID.eq(filter.id()))
        .execute();
  }
}
