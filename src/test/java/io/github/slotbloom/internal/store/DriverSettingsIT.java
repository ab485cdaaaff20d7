package io.github.slotbloom.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Drivers can be told to send statements and batches in another way. What is written and read is
 * the same.
 */
@DatabaseContract
@Tag("mysql")
class DriverSettingsIT {

  private static final int SLOTS = 3_617;

  private static TestSchema schema;

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource())) {
      bloom.migrate();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "useBulkStmts,allowMultiQueries",
        "rewriteBatchedStatements,useServerPrepStmts,cachePrepStmts"
      })
  void keysAreFoundWithAllSettingsOfTheDriver(String settings) {
    String name = "driver_" + Math.abs(settings.hashCode());
    HikariDataSource source =
        schema.pool(
            pool -> {
              pool.setMaximumPoolSize(2);
              for (String setting : settings.split(",")) {
                pool.addDataSourceProperty(setting, "true");
              }
            });
    try (SlotBloom bloom = SlotBloom.on(source)) {
      bloom.reserve(name, FilterSpec.builder(KeyType.text()).capacity(100_000).build()).close();
      List<String> keys = IntStream.range(0, 1_500).mapToObj(i -> "key " + i).toList();
      try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
        assertThat(filter.add("alone")).isTrue();
        filter.addEach(keys);
        filter.fold();
      }
      FilterOptions mirrored = FilterOptions.defaults();
      for (FilterOptions options : List.of(mirrored, mirrored.withoutMirror())) {
        try (BloomFilter<String> filter = bloom.open(name, KeyType.text(), options)) {
          assertThat(filter.mightContainEach(keys)).doesNotContain(false);
          assertThat(filter.addEach(keys)).doesNotContain(true);
        }
      }
      Database database = Database.connect(source);
      GenerationRecord generation =
          database
              .transact(tx -> Catalog.find(tx, new FilterName(name)))
              .orElseThrow()
              .newestGeneration();
      SlotRows rows = new SlotRows(generation);
      database.transact(tx -> rows.delete(tx, Integer.MAX_VALUE));
      Map<Long, Long> expected = new TreeMap<>();
      for (long bit : new long[] {1, Long.MIN_VALUE}) {
        SlotMasks masks = new SlotMasks();
        for (long slot = 0; slot < SLOTS; slot++) {
          masks.accept(slot, bit);
          expected.merge(slot, bit, (a, b) -> a | b);
        }
        database.transact(
            tx -> {
              rows.or(tx, masks, masks.sortedSlots());
              return true;
            });
        Map<Long, Long> read = new TreeMap<>();
        database.transact(
            tx -> {
              rows.scan(tx, 0, SLOTS, read::put);
              return true;
            });
        assertThat(read).isEqualTo(expected);
      }
    }
  }
}
