package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import io.github.slotbloom.internal.store.Tables.Removed;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Record2;
import org.jooq.ResultQuery;
import org.jooq.SelectConditionStep;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the table with the removed hashes of a filter. It holds the state up to the last
 * folded entry, as the slots do. A row whose entry is not newer than the oldest generation that
 * answers means nothing.
 *
 * <p>A row with the entry that cleared the filter last, or 0, is of a hash that is held and not
 * removed, but that never counted as added: a false positive was reported as seen when its key was
 * added. There are few of them. Thread-safe.
 */
public final class RemovedRows {

  /** The most rows that one statement reads or writes. */
  private static final int CHUNK = 1000;

  /** The most rows of one page of {@link #page}. */
  private static final int PAGE = 50_000;

  /** Receives removed hashes. */
  public interface Sink {
    /**
     * Takes in a hash.
     *
     * @param seq number of the entry that removed it
     */
    void accept(long hash, long seq);
  }

  private final Removed columns;

  /** The entry of a hash that never counted. It removed nothing. */
  private final long neverCounted;

  /**
   * Creates access to the table of a filter.
   *
   * @param filter one whose keys can be removed
   */
  public RemovedRows(FilterRecord filter) {
    columns = new Removed(Objects.requireNonNull(filter.removal()).table());
    neverCounted = filter.manifest().begins();
  }

  /** Passes on which of some hashes are removed. */
  public void read(Tx tx, long[] hashes, Sink sink) {
    forEach(tx, hashes, isRemoved(), false, sink);
  }

  /**
   * Does the same as {@link #read}, with the rows as they are now, whatever snapshot the
   * transaction has. Needs the lock of the fold row.
   */
  public void lock(Tx tx, long[] hashes, Sink sink) {
    forEach(tx, hashes, isRemoved(), true, sink);
  }

  private void forEach(Tx tx, long[] hashes, Condition wanted, boolean lock, Sink sink) {
    for (int from = 0; from < hashes.length; from += CHUNK) {
      var rows = query(tx, among(hashes, from).and(wanted));
      ResultQuery<Record2<Long, Long>> now = lock ? rows.forShare() : rows;
      now.forEach(row -> sink.accept(row.value1(), row.value2()));
    }
  }

  private Condition isRemoved() {
    return columns.seq.ne(neverCounted);
  }

  private Condition among(long[] hashes, int from) {
    return columns.hash.in(
        Arrays.stream(hashes, from, Math.min(hashes.length, from + CHUNK)).boxed().toList());
  }

  private SelectConditionStep<Record2<Long, Long>> query(Tx tx, Condition condition) {
    return tx.dsl().select(columns.hash, columns.seq).from(columns.table).where(condition);
  }

  /**
   * Passes on the next rows in the order of the hashes.
   *
   * @param after the last hash that was passed on; null to begin
   * @return the last hash that was passed on; null if there are no more
   */
  public @Nullable Long page(Tx tx, @Nullable Long after, Sink sink) {
    Long last = null;
    for (Record2<Long, Long> row :
        query(tx, (after == null ? noCondition() : columns.hash.gt(after)).and(isRemoved()))
            .orderBy(columns.hash)
            .limit(PAGE)
            .fetch()) {
      last = row.value1();
      sink.accept(last, row.value2());
    }
    return last;
  }

  /** Records that a hash was removed by an entry, for each hash. */
  public void put(Tx tx, List<Long> hashes, List<Long> seqs) {
    for (int from = 0; from < hashes.size(); from += CHUNK) {
      int to = Math.min(hashes.size(), from + CHUNK);
      var insert = tx.dsl().insertInto(columns.table, columns.hash, columns.seq);
      for (int i = from; i < to; i++) {
        insert = insert.values(hashes.get(i), seqs.get(i));
      }
      insert
          .onDuplicateKeyUpdate()
          .set(columns.seq, greatest(columns.seq, excluded(columns.seq)))
          .execute();
    }
  }

  /** Records that hashes are not removed anymore. */
  public void delete(Tx tx, List<Long> hashes) {
    for (int from = 0; from < hashes.size(); from += CHUNK) {
      tx.dsl()
          .deleteFrom(columns.table)
          .where(columns.hash.in(hashes.subList(from, Math.min(hashes.size(), from + CHUNK))))
          .execute();
    }
  }

  /**
   * Deletes rows without meaning.
   *
   * @param last number of the last entry whose rows may go
   * @return how many rows were deleted, at most {@code limit}
   */
  public int deleteUpTo(Tx tx, long last, int limit) {
    return tx.dsl()
        .deleteFrom(columns.table)
        .where(columns.seq.le(last))
        .and(isRemoved())
        .orderBy(columns.hash)
        .limit(limit)
        .execute();
  }

  /** Returns how many rows have a newer entry than the given one. */
  public long countAfter(Tx tx, long seq) {
    return tx.dsl()
        .selectCount()
        .from(columns.table)
        .where(columns.seq.gt(seq))
        .fetchSingle()
        .value1();
  }

  /** Returns which of some hashes never counted as added. */
  public Set<Long> neverCounted(Tx tx, long[] hashes) {
    return neverCounted(tx, hashes, false);
  }

  /** Does the same as {@link #neverCounted(Tx, long[])}, as {@link #lock} reads. */
  public Set<Long> lockNeverCounted(Tx tx, long[] hashes) {
    return neverCounted(tx, hashes, true);
  }

  private Set<Long> neverCounted(Tx tx, long[] hashes, boolean lock) {
    Set<Long> never = new HashSet<>();
    forEach(tx, hashes, columns.seq.eq(neverCounted), lock, (hash, seq) -> never.add(hash));
    return never;
  }

  /**
   * Records that hashes never counted as added, unless one is removed.
   *
   * @param meaningless number of the last entry whose rows mean nothing
   */
  public void putNeverCounted(Tx tx, long[] hashes, long meaningless) {
    for (int from = 0; from < hashes.length; from += CHUNK) {
      var insert = tx.dsl().insertInto(columns.table, columns.hash, columns.seq);
      for (int i = from; i < Math.min(hashes.length, from + CHUNK); i++) {
        insert = insert.values(hashes[i], neverCounted);
      }
      insert
          .onDuplicateKeyUpdate()
          .set(
              columns.seq,
              when(columns.seq.le(meaningless), val(neverCounted)).otherwise(columns.seq))
          .execute();
    }
  }

  /** Takes back what {@link #putNeverCounted} recorded. */
  public void deleteNeverCounted(Tx tx, long[] hashes) {
    for (int from = 0; from < hashes.length; from += CHUNK) {
      tx.dsl()
          .deleteFrom(columns.table)
          .where(among(hashes, from))
          .and(columns.seq.eq(neverCounted))
          .execute();
    }
  }

  /** Collects rows in two lists that {@link #put} takes. */
  public static final class Rows implements Sink {
    public final List<Long> hashes = new ArrayList<>();
    public final List<Long> seqs = new ArrayList<>();

    @Override
    public void accept(long hash, long seq) {
      hashes.add(hash);
      seqs.add(seq);
    }
  }
}
