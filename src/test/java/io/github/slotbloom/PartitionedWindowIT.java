package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A window of two parts: keys of both expire, and each is offered to its part. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
class PartitionedWindowIT {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  @Fixture private static TestSchema schema;

  private static ClockedConnections clock;
  private final String name = FilterNames.newName();
  private SlotBloom bloom;
  private PartitionedFilter<String> filter;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    bloom = SlotBloom.builder(clock.dataSource()).build();
    FilterSpec<String> part = week().buildRemovable();
    filter = PartitionedFilter.openOrReserve(name, part, List.of(bloom, bloom));
  }

  @AfterEach
  void close() {
    filter.close();
    bloom.close();
  }

  private static FilterSpec.Builder<String> week() {
    return FilterSpec.builder(KeyType.text())
        .capacity(7000)
        .falsePositiveRate(1e-6)
        .window(DAY.multipliedBy(7), 7);
  }

  /** Returns keys of both parts by turns, as many of the one as of the other. */
  private List<String> keys(String prefix) {
    List<String> keys = new ArrayList<>();
    for (int number = 0; keys.size() < 20; number++) {
      String key = prefix + number;
      if (filter.partOf(key) == filter.parts().get(keys.size() % 2)) {
        keys.add(key);
      }
    }
    return keys;
  }

  @Test
  void keysOfAllPartsExpireABucketAfterTheWindow() {
    List<String> first = keys("first ");
    List<String> later = keys("later ");
    List<String> removed = later.subList(0, 5);
    assertThat(filter.addEach(first)).containsOnly(true);
    clock.advance(DAY.multipliedBy(3));
    assertThat(filter.filterNew(later)).isEqualTo(later);
    assertThat(filter.filterNew(first)).isEmpty();
    assertThat(Removing.from(filter).removeEach(removed)).containsOnly(true);
    assertThat(filter.mightContainEach(removed)).containsOnly(false);

    clock.advance(DAY.multipliedBy(5));
    await()
        .untilAsserted(
            () -> assertThat(filter.mightContainEach(first)).as("8 days old").containsOnly(false));
    assertThat(filter.mightContainEach(later.subList(5, 20))).containsOnly(true);
    assertThat(filter.addEach(first)).containsOnly(true);
    assertThat(filter.addEach(first)).containsOnly(false);
  }

  @Test
  void anEventIsOfferedToThePartOfItsKey() {
    for (String key : keys("key ").subList(0, 4)) {
      assertThat(filter.offer(key, NOON.minus(DAY.multipliedBy(7)))).isEqualTo(Offered.EXPIRED);
      assertThat(filter.mightContain(key)).isFalse();
      assertThat(filter.offer(key, NOON)).isEqualTo(Offered.NEW);
      assertThat(filter.offer(key, NOON)).isEqualTo(Offered.SEEN);
      assertThat(filter.partOf(key).offer(key, NOON)).isEqualTo(Offered.SEEN);
      assertThatThrownBy(() -> filter.offer("of tomorrow", NOON.plus(DAY)))
          .isInstanceOf(InvalidParameterException.class);
    }
  }

  @Test
  void aListInATransactionBeginsABucketInEachPart() throws Exception {
    List<String> first = keys("first ");
    List<String> later = keys("later ");
    assertThat(filter.addEach(first)).containsOnly(true);
    clock.advance(DAY);
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(filter.within(connection).addEach(later)).containsOnly(true);
      connection.rollback();
      clock.setClock(connection);
      TransactionalWrites<String> writes = filter.within(connection);
      assertThat(writes.addEach(first)).containsOnly(false);
      assertThat(writes.addEach(later)).containsOnly(true);
      assertThat(writes.offer(later.get(0), clock.now())).isEqualTo(Offered.SEEN);
      connection.commit();
    }
    assertThat(filter.addEach(later)).containsOnly(false);
    clock.advance(DAY.multipliedBy(8));
    await().untilAsserted(() -> assertThat(filter.mightContainEach(first)).containsOnly(false));
    assertThat(filter.addEach(later)).as("9 days after the first ones").containsOnly(true);
  }
}
