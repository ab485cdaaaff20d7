package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;

import io.github.slotbloom.internal.store.Tables.Slots;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.impl.SQLDataType;

/** Finds and removes faults in a slot table that {@link SlotRows} never causes. */
public final class SlotTableAudit {

  /**
   * Rows beyond the last slot.
   *
   * @param first the lowest slot among them, as an unsigned number
   * @param rows the number of rows
   */
  public record Beyond(long first, long rows) {}

  private final Slots columns;
  private final long slots;
  private final long lastSlotMask;

  public SlotTableAudit(GenerationRecord generation) {
    columns = new Slots(generation.slotTable());
    slots = generation.parameters().slots();
    lastSlotMask = generation.parameters().lastSlotMask();
  }

  /**
   * Returns the faults of the columns as parts of a sentence, or an empty list if there are none.
   */
  public List<String> columnFaults(Tx tx) {
    return TableColumns.of(tx, columns.table)
        .map(
            found ->
                found
                    .require(columns.slot, "bigint unsigned", "PRI")
                    .require(columns.bits, "bigint unsigned", "")
                    .faults())
        .orElseGet(() -> List.of("there is no such table"));
  }

  /** Returns the rows beyond the last slot, or empty if there are none. */
  public Optional<Beyond> beyond(Tx tx) {
    Record2<Long, Integer> found =
        tx.dsl()
            .select(min(columns.slot), count())
            .from(columns.table)
            .where(isBeyond())
            .fetchSingle();
    return found.value2() == 0
        ? Optional.empty()
        : Optional.of(new Beyond(found.value1(), found.value2()));
  }

  private Condition isBeyond() {
    return columns.slot.ge(slots);
  }

  /** Returns the bits of the last slot that lie beyond the bit array, or 0 if none is set. */
  public long excessBits(Tx tx) {
    return tx.dsl()
        .select(field("CAST({0} AS SIGNED)", SQLDataType.BIGINT, columns.bits))
        .from(columns.table)
        .where(isLast())
        .fetchOptional(Record1::value1)
        .map(bits -> bits & ~lastSlotMask)
        .orElse(0L);
  }

  private Condition isLast() {
    return columns.slot.eq(slots - 1);
  }

  /** Deletes at most {@code limit} rows beyond the last slot, and returns their number. */
  public int deleteBeyond(Tx tx, int limit) {
    return tx.dsl()
        .deleteFrom(columns.table)
        .where(isBeyond())
        .orderBy(columns.slot)
        .limit(limit)
        .execute();
  }

  /**
   * Clears the bits beyond the bit array in the last slot. Returns 1 if there were any, or else 0.
   */
  public int clearExcess(Tx tx) {
    return excessBits(tx) == 0
        ? 0
        : tx.dsl()
            .update(columns.table)
            .set(columns.bits, columns.bits.bitAnd(lastSlotMask))
            .where(isLast())
            .execute();
  }
}
