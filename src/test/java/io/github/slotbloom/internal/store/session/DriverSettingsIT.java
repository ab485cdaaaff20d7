package io.github.slotbloom.internal.store.session;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Drivers can be told to send statements and batches in another way. What is written and read is
 * the same.
 */
@DatabaseContract(migrated = true)
@Tag("mysql")
class DriverSettingsIT {

  @Fixture private static TestSchema schema;

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
      List<String> keys = keys("key ", 1_500);
      try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
        assertThat(filter.add("alone")).isTrue();
        for (int from = 0; from < keys.size(); from += 500) {
          filter.addEach(keys.subList(from, from + 500));
          bloom.admin(filter.name()).fold();
        }
      }
      FilterOptions mirrored = FilterOptions.defaults();
      for (FilterOptions options : List.of(mirrored, mirrored.withoutMirror())) {
        try (BloomFilter<String> filter = bloom.open(name, KeyType.text(), options)) {
          assertThat(filter.mightContainEach(keys)).doesNotContain(false);
          assertThat(filter.addEach(keys)).doesNotContain(true);
        }
      }
    }
  }
}
