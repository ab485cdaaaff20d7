package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.val;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.store.Tables.Slots;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.math.BigDecimal;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record3;
import org.jooq.impl.SQLDataType;

/**
 * Counts rows and set bits of a slot table per range. The server does the counting. Not
 * thread-safe.
 */
public final class SlotRanges {

  /** The most slots that one statement counts. */
  private static final long SLOTS_PER_COUNT = 1 << 20;

  private final Slots columns;
  private final long slots;
  private final long slotsPerRange;
  private final long[] rows;
  private final long[] bitsSet;

  /**
   * Divides the slots of a generation into ranges.
   *
   * @param most the highest number of ranges
   */
  public SlotRanges(GenerationRecord generation, int most) {
    columns = new Slots(generation.slotTable());
    slots = generation.parameters().slots();
    long unit =
        generation.parameters().layout() == Layout.BLOCKED
            ? BloomParameters.BLOCK_BITS / Long.SIZE
            : 1;
    long units = (slots + unit - 1) / unit;
    slotsPerRange = (units + most - 1) / most * unit;
    int ranges = (int) ((slots + slotsPerRange - 1) / slotsPerRange);
    rows = new long[ranges];
    bitsSet = new long[ranges];
  }

  /**
   * Counts the next slots, and skips slots without rows. The number of slots is limited, so that no
   * statement takes long.
   *
   * @param from the first slot that is not counted yet
   * @return the slot to continue from; empty if all slots are counted
   */
  public Optional<Long> countNext(Tx tx, long from) {
    Optional<Long> first =
        tx.dsl()
            .select(min(columns.slot))
            .from(columns.table)
            .where(columns.between(from, slots))
            .fetchOptional(row -> row.value1());
    first.ifPresent(slot -> countRange(tx, slot, Math.min(slots, slot + SLOTS_PER_COUNT)));
    return first.map(slot -> slot + SLOTS_PER_COUNT).filter(next -> next < slots);
  }

  private void countRange(Tx tx, long from, long end) {
    Field<Long> range = field("{0} DIV {1}", SQLDataType.BIGINT, columns.slot, val(slotsPerRange));
    Field<BigDecimal> ones = sum(field("BIT_COUNT({0})", SQLDataType.BIGINT, columns.bits));
    for (Record3<Long, Integer, BigDecimal> counted :
        tx.dsl()
            .select(range, count(), ones)
            .from(columns.table)
            .where(columns.between(from, end))
            .groupBy(range)
            .fetch()) {
      int i = counted.value1().intValue();
      rows[i] += counted.value2();
      bitsSet[i] += counted.value3().longValueExact();
    }
  }

  public int size() {
    return rows.length;
  }

  /** Returns the number of slots in each range but the last. */
  public long slotsPerRange() {
    return slotsPerRange;
  }

  public long slots(int range) {
    return Math.min(slotsPerRange, slots - range * slotsPerRange);
  }

  public long rows(int range) {
    return rows[range];
  }

  public long bitsSet(int range) {
    return bitsSet[range];
  }
}
