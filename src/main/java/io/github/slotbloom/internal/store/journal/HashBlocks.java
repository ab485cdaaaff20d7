package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.noCondition;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.Tables.HashBlockRows;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Record2;
import org.jooq.Result;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code bloom_hash_block}: what trimming took out of the journals of filters that retain
 * the hashes of their keys, each hash once. The first block of a filter begins at the lowest
 * number, so a hash has a block wherever it lies, and no row ever changes its key. Thread-safe.
 */
public final class HashBlocks {

  /** Blocks that one statement reads at most; of full ones 4 MiB. */
  public static final int PAGE = 64;

  /** Blocks that one statement writes; well below the largest packet that a server takes. */
  private static final int WRITE_CHUNK = 8;

  /** Sorts hashes, and leaves out those that occur again. */
  public static long[] ascending(long[] hashes) {
    long[] sorted = hashes.clone();
    return Arrays.copyOf(sorted, sortDistinct(sorted, sorted.length));
  }

  /**
   * As {@link #ascending}, in place.
   *
   * @param size how many hashes there are, from the beginning of the array
   * @return how many are left there
   */
  public static int sortDistinct(long[] hashes, int size) {
    Arrays.sort(hashes, 0, size);
    int distinct = 0;
    for (int i = 0; i < size; i++) {
      if (i == 0 || hashes[i] != hashes[i - 1]) {
        hashes[distinct++] = hashes[i];
      }
    }
    return distinct;
  }

  /**
   * Merges hashes into the next blocks that they belong to, as many as a page holds, and writes
   * those that change. Needs the lock of {@link FoldRows#lock}.
   *
   * @param hashes of {@link #ascending}
   * @param from index of the first one that is to be merged
   * @return index of the first one that is not merged yet; greater than {@code from}
   * @throws CorruptFilterException if a block cannot be right
   */
  public int merge(Tx tx, FilterRecord filter, long[] hashes, int from) {
    List<HashBlock> changed = new ArrayList<>();
    int merged = from;
    for (HashBlock block : pageAt(tx, filter, hashes[from])) {
      int end = after(hashes, merged, block.last());
      if (end > merged) {
        changed.addAll(block.with(hashes, merged, end));
        merged = end;
      }
    }
    for (int i = 0; i < changed.size(); i += WRITE_CHUNK) {
      write(tx, filter.id(), changed.subList(i, Math.min(changed.size(), i + WRITE_CHUNK)));
    }
    return merged;
  }

  /** The index of the first hash beyond {@code last}. */
  private static int after(long[] hashes, int from, long last) {
    int found = Arrays.binarySearch(hashes, from, hashes.length, last);
    return found < 0 ? -found - 1 : found + 1;
  }

  /** The block that a hash belongs to, and those that follow. */
  private static List<HashBlock> pageAt(Tx tx, FilterRecord filter, long hash) {
    Optional<Long> first =
        tx.dsl()
            .select(HashBlockRows.FIRST_HASH)
            .from(HashBlockRows.TABLE)
            .where(HashBlockRows.FILTER_ID.eq(filter.id()))
            .and(HashBlockRows.FIRST_HASH.le(hash))
            .orderBy(HashBlockRows.FIRST_HASH.desc())
            .limit(1)
            .fetchOptional(HashBlockRows.FIRST_HASH);
    if (first.isPresent()) {
      return read(tx, filter, HashBlockRows.FIRST_HASH.ge(first.get()));
    }
    List<HashBlock> lowest = lowest(tx, filter);
    return lowest.isEmpty() ? List.of(HashBlock.EMPTY) : lowest;
  }

  /** Whether a hash is in its block. */
  public boolean holds(Tx tx, FilterRecord filter, long hash) {
    return Arrays.binarySearch(pageAt(tx, filter, hash).get(0).hashes(), hash) >= 0;
  }

  /**
   * The next blocks in ascending order, {@link #PAGE} at most.
   *
   * @param after {@link HashBlock#first} of the last block that was read, or null to begin
   * @return an empty list after the last block
   * @throws CorruptFilterException if a block cannot be right
   */
  public List<HashBlock> page(Tx tx, FilterRecord filter, @Nullable Long after) {
    return after == null
        ? lowest(tx, filter)
        : read(tx, filter, HashBlockRows.FIRST_HASH.gt(after));
  }

  private static List<HashBlock> lowest(Tx tx, FilterRecord filter) {
    List<HashBlock> blocks = read(tx, filter, noCondition());
    if (!blocks.isEmpty() && blocks.get(0).first() != Long.MIN_VALUE) {
      throw HashBlock.corrupt(
          filter.name(), "the first block, " + Long.MIN_VALUE + ",", "is missing");
    }
    return blocks;
  }

  private static List<HashBlock> read(Tx tx, FilterRecord filter, Condition wanted) {
    // One more, to know where the last block ends.
    Result<Record2<Long, byte[]>> rows =
        tx.dsl()
            .select(HashBlockRows.FIRST_HASH, HashBlockRows.HASHES)
            .from(HashBlockRows.TABLE)
            .where(HashBlockRows.FILTER_ID.eq(filter.id()))
            .and(wanted)
            .orderBy(HashBlockRows.FIRST_HASH)
            .limit(PAGE + 1)
            .fetch();
    List<HashBlock> blocks = new ArrayList<>(rows.size());
    for (int i = 0; i < Math.min(rows.size(), PAGE); i++) {
      long last = i + 1 < rows.size() ? rows.get(i + 1).value1() - 1 : Long.MAX_VALUE;
      blocks.add(HashBlock.decode(filter.name(), rows.get(i).value1(), last, rows.get(i).value2()));
    }
    return blocks;
  }

  private static void write(Tx tx, long filterId, List<HashBlock> blocks) {
    var insert =
        tx.dsl()
            .insertInto(
                HashBlockRows.TABLE,
                HashBlockRows.FILTER_ID,
                HashBlockRows.FIRST_HASH,
                HashBlockRows.HASHES);
    for (HashBlock block : blocks) {
      insert = insert.values(filterId, block.first(), block.payload());
    }
    insert
        .onDuplicateKeyUpdate()
        .set(HashBlockRows.HASHES, excluded(HashBlockRows.HASHES))
        .execute();
  }

  /** How many blocks a filter has. */
  public int count(Tx tx, long filterId) {
    return tx.dsl().fetchCount(HashBlockRows.TABLE, HashBlockRows.FILTER_ID.eq(filterId));
  }

  /** Deletes blocks of a filter, {@code limit} at most, and returns how many. */
  public int delete(Tx tx, long filterId, int limit) {
    return tx.dsl()
        .deleteFrom(HashBlockRows.TABLE)
        .where(HashBlockRows.FILTER_ID.eq(filterId))
        .orderBy(HashBlockRows.FIRST_HASH)
        .limit(limit)
        .execute();
  }
}
