package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter that holds more keys than its capacity, and to which nothing is written anymore. */
@DatabaseContract(migrated = true)
@Timeout(180)
class SaturatedIT implements SlotBloomListener {

  private static final int CAPACITY = 1000;

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  private final List<String> told = new CopyOnWriteArrayList<>();

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.CapacityReached full) {
      told.add("full " + full.keys() + " of " + full.capacity());
    }
  }

  private SlotBloom connect() {
    return SlotBloom.builder(schema.dataSource()).listener(this).build();
  }

  private static FilterSpec<String> spec(OnFull onFull) {
    return FilterSpec.builder(KeyType.text())
        .capacity(CAPACITY)
        .falsePositiveRate(0.001)
        .onFull(onFull)
        .build();
  }

  private static void overfill(String name) throws SQLException {
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource());
        BloomFilter<String> filter = bloom.reserve(name, spec(OnFull.DEGRADE))) {
      filter.addEach(keys("key ", 10 * CAPACITY));
    }
  }

  private static long capacity(String name) throws SQLException {
    return sql.number("SELECT capacity FROM bloom_filter WHERE name = ?", name);
  }

  @Test
  void openingAFullFilterWarnsOnce() throws SQLException {
    overfill("opened");
    try (SlotBloom bloom = connect();
        BloomFilter<String> filter = bloom.open("opened", KeyType.text())) {
      assertThat(told).hasSize(1).first().asString().startsWith("full ").endsWith(" of 1000");
      assertThat(filter.statistics().currentFalsePositiveRate().isFarAboveTarget()).isTrue();
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void aProcessThatAddsNothingHearsThatTheFilterIsFull() throws SQLException {
    try (SlotBloom bloom = connect();
        BloomFilter<String> watching = bloom.reserve("watched", spec(OnFull.DEGRADE))) {
      assertThat(watching.statistics().currentFalsePositiveRate().isFarAboveTarget()).isFalse();
      try (SlotBloom other = SlotBloom.on(schema.dataSource());
          BloomFilter<String> filter = other.open("watched", KeyType.text())) {
        filter.addEach(keys("key ", 2 * CAPACITY));
      }
      await().until(() -> told.size() == 1);
    }
  }

  @Test
  void anOverfullFilterGrowsWhenItIsOpenedOrSeenByTheHeartbeat() throws SQLException {
    overfill("late");
    sql.run("UPDATE bloom_filter SET on_full = 'GROW' WHERE name = 'late'");
    try (SlotBloom bloom = connect()) {
      bloom.open("late", KeyType.text(), FilterOptions.defaults().withoutMirror()).close();
      assertThat(capacity("late")).isGreaterThan(CAPACITY);
    }

    overfill("later");
    try (SlotBloom bloom = connect();
        BloomFilter<String> filter = bloom.open("later", KeyType.text())) {
      assertThat(capacity("later")).isEqualTo(CAPACITY);
      sql.run("UPDATE bloom_filter SET on_full = 'GROW' WHERE name = 'later'");
      await().until(() -> capacity("later") > CAPACITY);
      assertThat(filter.mightContain("key 1")).isTrue();
    }
  }

  /** The count is not believed, where the bits can be looked at. */
  @Test
  void theFalsePositiveRateComesFromTheBitsWhenTheKeyCountIsTooLow() throws SQLException {
    overfill("counted");
    sql.run(
        "UPDATE bloom_journal JOIN bloom_filter ON id = filter_id"
            + " SET bloom_journal.keys_added = 10 WHERE name = 'counted' AND seq = 0");
    try (SlotBloom bloom = connect();
        BloomFilter<String> filter = bloom.open("counted", KeyType.text())) {
      assertThat(filter.statistics().currentFalsePositiveRate().isFarAboveTarget()).isTrue();
      bloom.admin(filter.name()).fold();
      assertThat(filter.statistics().currentFalsePositiveRate().current())
          .isEqualTo(bloom.info(filter.name()).currentFalsePositiveRate());
    }
  }
}
