package io.github.slotbloom.internal.store.slots;

import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.github.slotbloom.internal.store.Tables.Slots;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Result;
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

  private static final Field<String> COLUMN = column("column_name");
  private static final Field<String> TYPE = column("column_type");
  private static final Field<String> NULLABLE = column("is_nullable");
  private static final Field<String> KEY = column("column_key");

  private final Slots columns;
  private final long slots;
  private final long lastSlotMask;

  public SlotTableAudit(GenerationRecord generation) {
    columns = new Slots(generation.slotTable());
    slots = generation.parameters().slots();
    lastSlotMask = generation.parameters().lastSlotMask();
  }

  private static Field<String> column(String column) {
    return field(name("c", column), SQLDataType.VARCHAR).as(column);
  }

  /**
   * Returns the faults of the columns as parts of a sentence, or an empty list if there are none.
   */
  public List<String> columnFaults(Tx tx) {
    Result<? extends Record> found =
        tx.dsl()
            .select(COLUMN, TYPE, NULLABLE, KEY)
            .from(table(name("information_schema", "columns")).as("c"))
            .where(
                field(name("c", "table_schema"), SQLDataType.VARCHAR)
                    .eq(field("DATABASE()", SQLDataType.VARCHAR)))
            .and(field(name("c", "table_name"), SQLDataType.VARCHAR).eq(columns.table.getName()))
            .fetch();
    if (found.isEmpty()) {
      return List.of("there is no such table");
    }
    List<String> faults = new ArrayList<>();
    requireColumn(faults, found, columns.slot, "PRI");
    requireColumn(faults, found, columns.bits, "");
    return faults;
  }

  private static void requireColumn(
      List<String> faults, Result<? extends Record> found, Field<?> wanted, String key) {
    String column = wanted.getName();
    Optional<? extends Record> row =
        found.stream().filter(r -> column.equalsIgnoreCase(r.get(COLUMN))).findFirst();
    if (row.isEmpty()) {
      faults.add("there is no column " + column);
      return;
    }
    // MariaDB adds a width: bigint(20) unsigned.
    String type = row.get().get(TYPE).toLowerCase(Locale.ROOT).replaceFirst("\\(\\d+\\)", "");
    boolean nullable = row.get().get(NULLABLE).equals("YES");
    if (!type.equals("bigint unsigned") || nullable) {
      faults.add("column " + column + " is " + type + (nullable ? "" : " not null"));
    }
    if (!row.get().get(KEY).equals(key)) {
      faults.add("column " + column + " is " + (key.isEmpty() ? "" : "not ") + "the key");
    }
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

  /** Clears the bits beyond the bit array in the last slot. */
  public void clearExcess(Tx tx) {
    tx.dsl()
        .update(columns.table)
        .set(columns.bits, columns.bits.bitAnd(lastSlotMask))
        .where(isLast())
        .execute();
  }
}
