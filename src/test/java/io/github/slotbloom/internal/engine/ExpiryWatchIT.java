package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.ExpiredFilters;
import io.github.slotbloom.internal.admin.Expiring;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.QuietEngines;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One process notices expired filters, by clocks that a test sets. */
@DatabaseContract(onOne = true, shortLeases = true)
@Timeout(180)
class ExpiryWatchIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final List<FilterName> found = new CopyOnWriteArrayList<>();
  private final SetClock clock = new SetClock();
  private final FilterDirectory directory =
      FilterDirectory.connect(schema.dataSource(), TimeSource.SYSTEM);
  private final FilterEngines engines = QuietEngines.on(directory.database(), clock);

  @AfterEach
  void close() {
    engines.close();
  }

  private FilterRecord reserve(String name, String expiry) throws SQLException {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(100)
            .expiresAt(bloom.databaseTime().plus(Duration.ofDays(1)))
            .build();
    bloom.reserve(name, spec).close();
    sql.run(
        "UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) + INTERVAL "
            + expiry
            + " WHERE name = ?",
        name);
    return read(name);
  }

  private FilterRecord read(String name) {
    return directory.ask(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
  }

  private ExpiryWatch watch(FilterRecord filter) {
    return new ExpiryWatch(
        filter,
        directory.database(),
        engines.io(),
        event -> {
          if (event instanceof SlotBloomEvent.Expired expired) {
            told.add(expired.filter());
          }
        },
        found::add);
  }

  @Test
  void eachPollFindsAnExpiredFilterAndTheApplicationHearsOnce() throws SQLException {
    FilterRecord lasting = reserve("polled", "1 DAY");
    ExpiryWatch watch = watch(lasting);
    assertThat(watch.heard(lasting.head())).isFalse();
    sql.run("UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) WHERE name = 'polled'");
    FilterRecord expired = read("polled");
    assertThat(watch.heard(expired.head())).isTrue();
    assertThat(watch.heard(expired.head())).isTrue();
    assertThat(watch.isOver()).isTrue();
    assertThat(found).hasSize(2);
    assertThat(told).containsExactly("polled");

    assertThat(watch.heard(lasting.head())).as("it was given more time").isFalse();
    assertThat(watch.heard(expired.head())).isTrue();
    assertThat(told).containsExactly("polled", "polled");
  }

  @Test
  void aFilterThatOthersRemovedBetweenTwoPollsHasExpired() throws SQLException {
    ExpiryWatch watch = watch(reserve("unseen", "-1 SECOND"));
    watch.isMissing();
    watch.isMissing();
    await().untilAsserted(() -> assertThat(told).containsExactly("unseen"));
    assertThat(watch.isOver()).isTrue();
    watch.isMissing();
    assertThat(told).hasSize(1);
  }

  @Test
  void aFilterThatWasDroppedBeforeItsTimeHasNot() throws SQLException {
    FilterRecord filter = reserve("dropped", "1 DAY");
    ExpiryWatch watch = watch(filter);
    watch.isMissing();
    // What is begun on the same threads afterwards.
    FilterRecord other = reserve("other", "-1 SECOND");
    watch(other).isMissing();
    await().untilAsserted(() -> assertThat(told).containsExactly("other"));
    assertThat(watch.isOver()).isFalse();
  }

  @Test
  void aRemovalThatSomebodyBeganIsLeftToHimForHalfAMinute() throws SQLException {
    reserve("begun", "-1 SECOND");
    sql.run("UPDATE bloom_filter SET state = 'DROPPING', epoch = epoch + 1 WHERE name = 'begun'");
    FilterName name = new FilterName("begun");
    ExpiredFilters expired =
        new ExpiredFilters(new Expiring(directory, engines), engines.io(), clock);
    expired.noticed(name);
    clock.advance(Duration.ofSeconds(29));
    expired.noticed(name);
    expired.close();
    assertThat(schema.slotTables("begun")).hasSize(1);

    ExpiredFilters later =
        new ExpiredFilters(new Expiring(directory, engines), engines.io(), clock);
    later.noticed(name);
    clock.advance(Duration.ofSeconds(31));
    later.noticed(name);
    later.close();
    assertThat(schema.slotTables("begun")).isEmpty();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_filter WHERE name = 'begun'")).isZero();
  }
}
