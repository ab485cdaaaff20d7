package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import java.util.Arrays;
import java.util.List;
import org.jooq.Field;
import org.jooq.Record;

/** Some slots of a generation, as fields of a query that reads more than them. */
public final class SlotFields {

  private final long[] slots;
  private final List<Field<Long>> fields;
  private final SlotMaskConsumer sink;

  /**
   * Creates the fields.
   *
   * @param sink receives the bits of the slots that have any
   */
  public SlotFields(GenerationRecord generation, long[] slots, SlotMaskConsumer sink) {
    SlotRows rows = new SlotRows(generation);
    this.slots = slots;
    this.fields = Arrays.stream(slots).mapToObj(rows::bitsOf).toList();
    this.sink = sink;
  }

  public List<Field<Long>> fields() {
    return fields;
  }

  /** Passes on what a row of the query has in the fields. */
  public void read(Record row) {
    for (int i = 0; i < slots.length; i++) {
      Long bits = row.get(fields.get(i));
      if (bits != null) {
        sink.accept(slots[i], bits);
      }
    }
  }
}
