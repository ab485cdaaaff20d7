package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.store.Tables.Slots;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Cursor;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.ResultQuery;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.types.ULong;

/**
 * Reads and writes the slot table of one generation. A missing row stands for 64 zero bits.
 * Thread-safe.
 */
public final class SlotRows {

  /** The number of slots in one {@code IN} list. */
  private static final int READ_CHUNK = 500;

  /** The number of rows that one insert writes; the last one of several up to twice as many. */
  private static final int WRITE_CHUNK = 1000;

  /** The golden section of the rows of a statement; a prime. */
  private static final int STRIDE = 617;

  /** The number of slots that one statement counts; a whole number of blocks. */
  private static final long SLOTS_PER_COUNT = 1 << 20;

  private static final Field<Long> SLOT = DSL.val(0L);

  /** The result of a bit operation is unsigned, so the mask can be bound as a signed number. */
  private static final Field<Long> MASK = DSL.val(0L).bitOr(inline(0L));

  private final GenerationRecord generation;
  private final Slots columns;
  // Read as signed: the JDBC getter for unsigned numbers refuses bit 63.
  private final Field<Long> signedBits;

  public SlotRows(GenerationRecord generation) {
    this.generation = generation;
    this.columns = new Slots(generation.slotTable());
    this.signedBits = field("CAST({0} AS SIGNED)", SQLDataType.BIGINT, columns.bits);
  }

  /**
   * Sets the bits of some slots with {@code bits = bits | ?}. Each statement writes many rows, and
   * the statements follow slot order. Within a statement the rows are mixed. If InnoDB met them in
   * order, it would treat them as a bulk load, and would split a full page at the place of the next
   * row instead of in the middle. When the rows come in between others, that leaves pages almost
   * empty for good.
   *
   * @param slots ascending
   */
  public void or(Tx tx, SlotMasks masks, long[] slots) {
    write(tx, masks, slots, STRIDE);
  }

  /**
   * Writes a row for each of some slots in slot order, so that the pages of the table are filled.
   * The table must have no rows from the first of these slots on.
   *
   * @param slots ascending
   */
  public void fill(Tx tx, SlotMasks masks, long[] slots) {
    write(tx, masks, slots, 1);
  }

  private void write(Tx tx, SlotMasks masks, long[] slots, int stride) {
    int rest = slots.length % WRITE_CHUNK;
    if (rest > 0 && slots.length > WRITE_CHUNK) {
      // The last statement takes them along.
      rest += WRITE_CHUNK;
    }
    int whole = slots.length - rest;
    write(tx, masks, slots, 0, whole, WRITE_CHUNK, stride);
    write(tx, masks, slots, whole, slots.length, rest, rest % STRIDE == 0 ? 1 : stride);
  }

  /**
   * Renders one statement, and executes it as often as the rows need. Binds the values itself: jOOQ
   * takes longer to bind a row than MariaDB to write it.
   *
   * @param stride distance in a statement from one row to the next; coprime to the number of rows
   */
  private void write(
      Tx tx, SlotMasks masks, long[] slots, int begin, int end, int rows, int stride) {
    if (begin == end) {
      return;
    }
    String sql = orRows(tx, rows).getSQL();
    tx.dsl()
        .connection(
            connection -> {
              try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (int from = begin; from < end; from += rows) {
                  for (int i = 0; i < rows; i++) {
                    long slot = slots[from + i * stride % rows];
                    insert.setLong(2 * i + 1, slot);
                    insert.setLong(2 * i + 2, masks.mask(slot));
                  }
                  insert.executeUpdate();
                }
              }
            });
  }

  private Query orRows(Tx tx, int rows) {
    var insert = tx.dsl().insertInto(columns.table, columns.slot, columns.bits);
    for (int i = 0; i < rows; i++) {
      insert = insert.values(SLOT, MASK);
    }
    // jOOQ writes the row alias for MySQL, and VALUES() for MariaDB, which has no alias.
    return insert
        .onDuplicateKeyUpdate()
        .set(columns.bits, columns.bits.bitOr(excluded(columns.bits)));
  }

  /** Reads the given slots by primary key. Slots without a row are not passed to the sink. */
  public void read(Tx tx, long[] slots, SlotMaskConsumer sink) {
    read(tx, slots, false, sink);
  }

  /**
   * Reads like {@link #read}, but sees the current rows, whatever snapshot the transaction has.
   * Needs a shared lock of the fold row. With that lock, no transaction waits for the row locks
   * that this call takes, and this call does not wait for theirs.
   */
  public void lock(Tx tx, long[] slots, SlotMaskConsumer sink) {
    read(tx, slots, true, sink);
  }

  /** Returns the bits of a slot as a field of any query; null if it has no row. */
  Field<Long> bitsOf(long slot) {
    return DSL.field(DSL.select(signedBits).from(columns.table).where(columns.slot.eq(slot)))
        .as("slot_" + generation.number() + "_" + slot);
  }

  private void read(Tx tx, long[] slots, boolean lock, SlotMaskConsumer sink) {
    for (int from = 0; from < slots.length; from += READ_CHUNK) {
      int to = Math.min(slots.length, from + READ_CHUNK);
      List<Long> wanted = new ArrayList<>(to - from);
      for (int i = from; i < to; i++) {
        wanted.add(slots[i]);
      }
      var select =
          tx.dsl()
              .select(columns.slot, signedBits)
              .from(columns.table)
              .where(columns.slot.in(wanted));
      // A limit in the statement overrides the limit of the session, which is not ours.
      ResultQuery<Record2<Long, Long>> rows =
          lock ? select.limit(wanted.size()).forShare() : select;
      rows.forEach(row -> sink.accept(row.value1(), row.value2()));
    }
  }

  /**
   * Reads the slots from {@code first} (inclusive) to {@code end} (exclusive). The range should
   * have at most about ten thousand slots. Slots without a row are not passed to the sink.
   */
  public void scan(Tx tx, long first, long end, SlotMaskConsumer sink) {
    scan(tx, first, end, inline(null, columns.slot), sink);
  }

  /**
   * Scans from the first slot on, and refuses a table that has bits beyond the end of the bit array
   * before any slot is passed to the sink.
   *
   * @throws CorruptFilterException if bits are set beyond the bit array
   */
  public void scanWithinBounds(Tx tx, long end, SlotMaskConsumer sink) {
    scan(tx, 0, end, field(beyond(tx)), sink);
  }

  private void scan(Tx tx, long first, long end, Field<Long> beyond, SlotMaskConsumer sink) {
    Record3<Integer, String, Long> packed =
        tx.dsl()
            .select(count(), PackedSlots.expression(columns.slot, columns.bits, first), beyond)
            .from(columns.table)
            .where(columns.between(first, end))
            .fetchSingle();
    if (packed.value3() != null) {
      throw beyondBounds(packed.value3());
    }
    int rows = packed.value1();
    if (rows > 0 && !PackedSlots.unpack(packed.value2(), rows, first, sink)) {
      // The text is longer than the packets that this server or connection takes.
      scanRows(tx, first, end, sink);
    }
  }

  private void scanRows(Tx tx, long first, long end, SlotMaskConsumer sink) {
    try (Cursor<Record2<Long, Long>> rows =
            tx.dsl()
                .select(columns.slot, signedBits)
                .from(columns.table)
                .where(columns.between(first, end))
                .fetchLazy();
        ResultSet raw = rows.resultSet()) {
      while (raw.next()) {
        sink.accept(raw.getLong(1), raw.getLong(2));
      }
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  /**
   * Refuses a table that has bits beyond the end of the bit array.
   *
   * @throws CorruptFilterException if bits are set beyond the bit array
   */
  public void requireWithinBounds(Tx tx) {
    beyond(tx)
        .fetchOptional(columns.slot)
        .ifPresent(
            slot -> {
              throw beyondBounds(slot);
            });
  }

  /** Selects a slot that has bits beyond the end of the bit array. */
  private Select<Record1<Long>> beyond(Tx tx) {
    long slots = generation.parameters().slots();
    int bitsInLast = Long.bitCount(generation.parameters().lastSlotMask());
    Field<ULong> excess = field("{0} >> {1}", SQLDataType.BIGINTUNSIGNED, columns.bits, bitsInLast);
    return tx.dsl()
        .select(columns.slot)
        .from(columns.table)
        .where(columns.slot.ge(slots))
        .or(columns.slot.eq(slots - 1).and(excess.ne(ULong.valueOf(0))))
        .limit(1);
  }

  private CorruptFilterException beyondBounds(long slot) {
    return new CorruptFilterException(
        "Slot "
            + slot
            + " of "
            + generation.slotTable()
            + " has bits beyond the "
            + generation.parameters().bits()
            + " of its generation. Restore the table from a backup.");
  }

  /** Returns true if the table has no rows. */
  public static boolean isEmpty(Tx tx, String slotTable) {
    return !tx.dsl().fetchExists(new Slots(slotTable).table);
  }

  /**
   * Counts rows and set bits in the server. Counts one range of slots at a time, so that no
   * statement takes long on a large filter, and skips ranges without rows.
   */
  public SlotCounts counts(Tx tx) {
    boolean standard = generation.parameters().layout() == Layout.STANDARD;
    long rows = 0;
    long bitsSet = 0;
    long[] histogram = new long[BloomParameters.BLOCK_BITS + 1];
    Optional<Long> first = firstRow(tx, 0);
    while (first.isPresent()) {
      // A block must not be split between two ranges.
      long from = first.get() - first.get() % (BloomParameters.BLOCK_BITS / Long.SIZE);
      for (Record3<Long, BigDecimal, Integer> counted : countRange(tx, from, standard)) {
        rows += counted.value2().longValueExact();
        bitsSet += counted.value1() * counted.value3();
        if (!standard) {
          histogram[counted.value1().intValue()] += counted.value3();
        }
      }
      first = firstRow(tx, from + SLOTS_PER_COUNT);
    }
    Fill fill =
        standard
            ? Fill.standard(generation.parameters(), bitsSet)
            : Fill.blocked(generation.parameters(), histogram);
    return new SlotCounts(fill, rows);
  }

  /** Returns the first slot at or after {@code from} that has a row. */
  public Optional<Long> firstRow(Tx tx, long from) {
    return tx.dsl()
        .select(columns.slot)
        .from(columns.table)
        .where(columns.between(from, generation.parameters().slots()))
        .orderBy(columns.slot)
        .limit(1)
        .fetchOptional(row -> row.value1());
  }

  /**
   * Groups the slots or blocks of one range by their number of set bits. Each row holds that
   * number, the number of slot rows, and the number of slots or blocks.
   */
  private Result<Record3<Long, BigDecimal, Integer>> countRange(Tx tx, long first, boolean bySlot) {
    Field<Long> ones = field("BIT_COUNT({0})", SQLDataType.BIGINT, columns.bits);
    Field<Long> unit = bySlot ? columns.slot : field("{0} DIV 8", SQLDataType.BIGINT, columns.slot);
    Field<Long> onesInUnit = field(name("ones"), SQLDataType.BIGINT);
    Field<Long> rowsOfUnit = field(name("slot_rows"), SQLDataType.BIGINT);
    long end = generation.parameters().slots();
    var units =
        tx.dsl()
            .select(sum(ones).as(onesInUnit), count().as(rowsOfUnit))
            .from(columns.table)
            .where(columns.between(first, Math.min(end, first + SLOTS_PER_COUNT)))
            .groupBy(unit)
            .asTable("units");
    return tx.dsl()
        .select(onesInUnit, sum(rowsOfUnit), count())
        .from(units)
        .groupBy(onesInUnit)
        .fetch();
  }

  /** Deletes at most {@code limit} rows, and returns their number. */
  public int delete(Tx tx, int limit) {
    return tx.dsl().deleteFrom(columns.table).orderBy(columns.slot).limit(limit).execute();
  }
}
