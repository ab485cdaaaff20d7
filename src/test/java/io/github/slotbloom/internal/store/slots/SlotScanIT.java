package io.github.slotbloom.internal.store.slots;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.TestSchema;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slots read in ranges, whether each has a row or not. */
@DatabaseContract(migrated = true)
@Tag("mysql")
class SlotScanIT {

  private static final int RANGE = 10;
  private static final int SLOTS = 60;

  private static RecordedSql sent;
  private static Database database;
  private static GenerationRecord generation;

  @BeforeDatabase
  static void makeTable(TestSchema schema) {
    sent = new RecordedSql(schema.pool(pool -> pool.setMaximumPoolSize(1)));
    try (SlotBloom bloom = SlotBloom.on(sent.dataSource())) {
      bloom.reserve("scanned", FilterSpec.builder(KeyType.text()).capacity(1_000).build());
    }
    database = Database.connect(sent.dataSource());
    generation =
        database
            .transact(tx -> Catalog.find(tx, new FilterName("scanned")))
            .orElseThrow()
            .newestGeneration();
  }

  @BeforeEach
  void empty() {
    database.transact(tx -> new SlotRows(generation).delete(tx, SLOTS));
  }

  private static long bits(long slot) {
    return slot % 2 == 0 ? slot + 1 : Long.MIN_VALUE + slot;
  }

  @Test
  void everySlotWithARowIsReadOnce() {
    SlotMasks stored = new SlotMasks();
    Map<Long, Long> expected = new TreeMap<>();
    for (long slot = 0; slot < SLOTS; slot++) {
      // The fourth range lacks one in the middle, the fifth all, the last its last.
      if (slot != 34 && slot / RANGE != 4 && slot != SLOTS - 1) {
        stored.accept(slot, bits(slot));
        expected.put(slot, bits(slot));
      }
    }
    database.transact(
        tx -> {
          new SlotRows(generation).or(tx, stored, stored.sortedSlots());
          return true;
        });
    Map<Long, Long> read = new TreeMap<>();
    SlotRows rows = new SlotRows(generation);
    for (long from = 0; from < SLOTS; from += RANGE) {
      long first = from;
      database.transact(
          tx -> {
            rows.scan(
                tx,
                first,
                first + RANGE,
                (slot, mask) -> assertThat(read.put(slot, mask)).as("slot %d", slot).isNull());
            return true;
          });
    }
    assertThat(read).isEqualTo(expected);
  }

  /** The text is longer than the server may make it, so the rows are read one by one. */
  @Test
  void slotsThatDoNotFitIntoOneTextAreRead() {
    SlotMasks stored = new SlotMasks();
    for (long slot = 0; slot < SLOTS; slot++) {
      stored.accept(slot, bits(slot));
    }
    SlotRows rows = new SlotRows(generation);
    database.transact(
        tx -> {
          rows.or(tx, stored, stored.sortedSlots());
          return true;
        });
    for (int most : new int[] {4, 100, SLOTS * 22, 1 << 20}) {
      Map<Long, Long> read = new TreeMap<>();
      database.transact(
          tx -> {
            tx.dsl().execute("SET SESSION group_concat_max_len = " + most);
            rows.scan(tx, 0, SLOTS, read::put);
            return true;
          });
      assertThat(read).as("texts of at most %d bytes", most).hasSize(SLOTS);
      read.forEach((slot, mask) -> assertThat(mask).isEqualTo(bits(slot)));
    }
  }
}
