package io.github.slotbloom.internal.store.journal;

import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.noCondition;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.Tables.HashBlockRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Result;
import org.jooq.SelectForUpdateStep;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the table {@code bloom_hash_block}. It holds the hashes that trimming took out
 * of the journals of filters that retain hashes, each hash once. The first block of a filter begins
 * at the lowest number, so every hash has a block, and no row ever changes its key.
 */
public final class HashBlocks {

  /** The most blocks that one statement reads; 4 MiB if they are full. */
  public static final int PAGE = 64;

  /** Looks into blocks that one statement makes. */
  private static final int LOOKS_PER_STATEMENT = 64;

  /** Blocks that one statement writes. Well below the largest packet that a server takes. */
  private static final int WRITE_CHUNK = 8;

  private HashBlocks() {}

  /** Returns the hashes in ascending order, without duplicates. */
  public static long[] ascending(long[] hashes) {
    long[] sorted = hashes.clone();
    return Arrays.copyOf(sorted, sortDistinct(sorted, sorted.length));
  }

  /**
   * Sorts hashes in place and removes duplicates, like {@link #ascending}.
   *
   * @param size number of hashes, from the beginning of the array
   * @return number of hashes that are left
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
   * Merges hashes into their blocks, at most one page of blocks per call, and writes the blocks
   * that change. Needs the lock of {@link FoldRows#lock}.
   *
   * @param hashes from {@link #ascending}
   * @param from index of the first hash to merge
   * @return index of the first hash that is not merged yet; greater than {@code from}
   * @throws CorruptFilterException if a block is invalid
   */
  public static int merge(Tx tx, FilterRecord filter, long[] hashes, int from) {
    return change(tx, filter, hashes, from, HashBlock::with);
  }

  /**
   * Does the same as {@link #merge(Tx, FilterRecord, long[], int)}.
   *
   * @param added receives, of each block, the hashes that were not in it before
   */
  public static int merge(
      Tx tx, FilterRecord filter, long[] hashes, int from, Consumer<long[]> added) {
    return change(
        tx,
        filter,
        hashes,
        from,
        (block, more, begin, end) -> {
          added.accept(
              Arrays.stream(more, begin, end)
                  .filter(hash -> Arrays.binarySearch(block.hashes(), hash) < 0)
                  .toArray());
          return block.with(more, begin, end);
        });
  }

  /**
   * Takes hashes out of their blocks, as {@link #merge} puts them in. A block stays when it is
   * empty.
   *
   * @return index of the first hash that is not taken out yet; greater than {@code from}
   */
  public static int remove(Tx tx, FilterRecord filter, long[] hashes, int from) {
    return change(
        tx,
        filter,
        hashes,
        from,
        (block, gone, begin, end) -> {
          HashBlock left = block.without(gone, begin, end);
          return left.hashes().length == block.hashes().length ? List.of() : List.of(left);
        });
  }

  /** Says what is to be written so that a block has, or lacks, some of the hashes. */
  private interface Change {
    List<HashBlock> of(HashBlock block, long[] hashes, int from, int to);
  }

  private static int change(Tx tx, FilterRecord filter, long[] hashes, int from, Change change) {
    List<HashBlock> changed = new ArrayList<>();
    int done = from;
    for (HashBlock block : pageAt(tx, filter, hashes[from])) {
      int end = after(hashes, done, block.last());
      if (end > done) {
        changed.addAll(change.of(block, hashes, done, end));
        done = end;
      }
    }
    for (int i = 0; i < changed.size(); i += WRITE_CHUNK) {
      write(tx, filter, changed.subList(i, Math.min(changed.size(), i + WRITE_CHUNK)));
    }
    return done;
  }

  /** Returns the index of the first hash greater than {@code last}. */
  private static int after(long[] hashes, int from, long last) {
    int found = Arrays.binarySearch(hashes, from, hashes.length, last);
    return found < 0 ? -found - 1 : found + 1;
  }

  /** Returns the block that a hash belongs to, and the blocks that follow. */
  private static List<HashBlock> pageAt(Tx tx, FilterRecord filter, long hash) {
    Optional<Long> first =
        inBlockOf(tx.dsl(), HashBlockRows.FIRST_HASH, filter, hash)
            .fetchOptional(HashBlockRows.FIRST_HASH);
    if (first.isPresent()) {
      return read(tx, filter, HashBlockRows.FIRST_HASH.ge(first.get()));
    }
    List<HashBlock> lowest = lowest(tx, filter);
    return lowest.isEmpty() ? List.of(HashBlock.EMPTY) : lowest;
  }

  public static boolean holds(Tx tx, FilterRecord filter, long hash) {
    return Arrays.binarySearch(pageAt(tx, filter, hash).get(0).hashes(), hash) >= 0;
  }

  /**
   * Returns which of some hashes are in their blocks. For a few the server looks, and sends no
   * block. For many all their blocks are read.
   */
  public static Set<Long> holding(Tx tx, FilterRecord filter, long[] hashes) {
    if (hashes.length == 0 || !tx.dsl().fetchExists(HashBlockRows.TABLE, of(filter))) {
      return Set.of();
    }
    Set<Long> holding = new HashSet<>();
    if (hashes.length <= LOOKS_PER_STATEMENT) {
      look(tx, filter, hashes, holding);
    } else {
      read(tx, filter, ascending(hashes), holding);
    }
    return holding;
  }

  /**
   * Returns which of some hashes are in their blocks now, whatever snapshot the transaction has.
   * Locks the blocks.
   */
  public static Set<Long> lockHolding(Tx tx, FilterRecord filter, long[] hashes) {
    Set<Long> holding = new HashSet<>();
    for (long hash : hashes) {
      byte[] block =
          inBlockOf(tx.dsl(), HashBlockRows.HASHES, filter, hash)
              .forShare()
              .fetchOne(HashBlockRows.HASHES);
      if (block != null && Arrays.binarySearch(HashBlock.hashes(block), hash) >= 0) {
        holding.add(hash);
      }
    }
    return holding;
  }

  /** Selects a column of the block that a hash belongs to. */
  private static <T> SelectForUpdateStep<Record1<T>> inBlockOf(
      DSLContext dsl, Field<T> column, FilterRecord filter, long hash) {
    return dsl.select(column)
        .from(HashBlockRows.TABLE)
        .where(of(filter))
        .and(HashBlockRows.FIRST_HASH.le(hash))
        .orderBy(HashBlockRows.FIRST_HASH.desc())
        .limit(1);
  }

  /** Blocks from before the filter was cleared mean nothing. */
  private static Condition of(FilterRecord filter) {
    return HashBlockRows.FILTER_ID
        .eq(filter.id())
        .and(HashBlockRows.BEGINS.eq(filter.manifest().begins()));
  }

  private static void look(Tx tx, FilterRecord filter, long[] hashes, Set<Long> holding) {
    List<Field<Long>> places =
        Arrays.stream(hashes).mapToObj(hash -> placeInBlock(tx, filter, hash)).toList();
    Record found = tx.dsl().select(places).fetchSingle();
    for (int i = 0; i < hashes.length; i++) {
      Long place = found.get(i, Long.class);
      boolean whole = place != null && place % Long.BYTES == 1;
      // The end of one hash and the begin of the next may look like it.
      if (whole || (place != null && place > 0 && holds(tx, filter, hashes[i]))) {
        holding.add(hashes[i]);
      }
    }
  }

  private static void read(Tx tx, FilterRecord filter, long[] ascending, Set<Long> holding) {
    int done = 0;
    while (done < ascending.length) {
      for (HashBlock block : pageAt(tx, filter, ascending[done])) {
        int end = after(ascending, done, block.last());
        for (; done < end; done++) {
          if (Arrays.binarySearch(block.hashes(), ascending[done]) >= 0) {
            holding.add(ascending[done]);
          }
        }
      }
    }
  }

  /** Returns where the bytes of a hash begin in its block, from 1; 0 or null if nowhere. */
  private static Field<Long> placeInBlock(Tx tx, FilterRecord filter, long hash) {
    Field<byte[]> block = DSL.field(inBlockOf(tx.dsl(), HashBlockRows.HASHES, filter, hash));
    return DSL.field(
        "LOCATE({0}, {1})",
        SQLDataType.BIGINT,
        DSL.val(HashBlock.bytes(new long[] {hash}), HashBlockRows.HASHES),
        block);
  }

  /**
   * Reads the next blocks in ascending order, at most {@link #PAGE} of them.
   *
   * @param after {@link HashBlock#first} of the last block that was read, or null to begin
   * @return an empty list after the last block
   * @throws CorruptFilterException if a block is invalid
   */
  public static List<HashBlock> page(Tx tx, FilterRecord filter, @Nullable Long after) {
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
    // One more row tells where the last block ends.
    Result<Record2<Long, byte[]>> rows =
        tx.dsl()
            .select(HashBlockRows.FIRST_HASH, HashBlockRows.HASHES)
            .from(HashBlockRows.TABLE)
            .where(of(filter))
            .and(wanted)
            .orderBy(HashBlockRows.FIRST_HASH)
            .limit(PAGE + 1)
            .fetch();
    List<HashBlock> blocks = new ArrayList<>(rows.size());
    for (int i = 0; i < Math.min(rows.size(), PAGE); i++) {
      long last = i + 1 < rows.size() ? rows.get(i + 1).value1() - 1 : Long.MAX_VALUE;
      blocks.add(
          HashBlock.decode(
              filter.name(),
              rows.get(i).value1(),
              last,
              rows.get(i).value2(),
              // Removed hashes leave their block.
              filter.removable() ? 0 : 1));
    }
    return blocks;
  }

  private static void write(Tx tx, FilterRecord filter, List<HashBlock> blocks) {
    var insert =
        tx.dsl()
            .insertInto(
                HashBlockRows.TABLE,
                HashBlockRows.FILTER_ID,
                HashBlockRows.BEGINS,
                HashBlockRows.FIRST_HASH,
                HashBlockRows.HASHES);
    long begins = filter.manifest().begins();
    for (HashBlock block : blocks) {
      insert = insert.values(filter.id(), begins, block.first(), block.payload());
    }
    insert
        .onDuplicateKeyUpdate()
        .set(HashBlockRows.HASHES, excluded(HashBlockRows.HASHES))
        .execute();
  }

  public static int count(Tx tx, FilterRecord filter) {
    return tx.dsl().fetchCount(HashBlockRows.TABLE, of(filter));
  }

  /**
   * Deletes all blocks from before an entry cleared the filter, in transactions that each delete 8
   * MiB at most.
   *
   * @param begins number of that entry
   */
  public static void deleteAllBefore(
      Transactions transactions, long filterId, ToLongFunction<Tx> begins) {
    int most = 128;
    while (transactions.ask(tx -> deleteBefore(tx, filterId, begins.applyAsLong(tx), most))
        == most) {}
  }

  /**
   * Deletes blocks from before an entry cleared the filter.
   *
   * @param begins number of that entry
   * @return how many were deleted, at most {@code limit}
   */
  static int deleteBefore(Tx tx, long filterId, long begins, int limit) {
    return tx.dsl()
        .deleteFrom(HashBlockRows.TABLE)
        .where(HashBlockRows.FILTER_ID.eq(filterId))
        .and(HashBlockRows.BEGINS.lt(begins))
        .orderBy(HashBlockRows.BEGINS, HashBlockRows.FIRST_HASH)
        .limit(limit)
        .execute();
  }
}
