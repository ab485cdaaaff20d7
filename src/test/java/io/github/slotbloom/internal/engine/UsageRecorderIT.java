package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.WordsEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Usage is told now and then, and nothing of it twice, with a clock that tests set. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(180)
class UsageRecorderIT {

  private static final String IS_USAGE = "SELECT COUNT(*) > 0 FROM bloom_usage WHERE new_keys > 0";

  private final SetClock clock = new SetClock();
  private final TestSchema schema;
  private final TappedConnections tapped;
  private final SlotBloom bloom;
  private final Sql sql;
  private WordsEngine words;
  private FilterEngine engine;

  UsageRecorderIT(TestSchema schema) {
    this.schema = schema;
    sql = new Sql(schema.dataSource());
    tapped = new TappedConnections(schema.dataSource());
    bloom = SlotBloom.on(schema.dataSource());
  }

  @BeforeEach
  void open() {
    bloom.reserve("words", FilterSpec.builder(KeyType.text()).capacity(1000).build()).close();
    words = new WordsEngine(tapped.dataSource(), clock);
    engine = words.engine;
  }

  @AfterEach
  void close() {
    words.close();
    bloom.close();
  }

  private void awaitNewKeys(long expected) {
    await()
        .untilAsserted(
            () ->
                assertThat(sql.number("SELECT COALESCE(SUM(new_keys), 0) FROM bloom_usage"))
                    .isEqualTo(expected));
  }

  private void addAndLetTimePass(long hash) {
    assertThat(engine.writes().add(hash)).isTrue();
    clock.advance(Duration.ofSeconds(31));
  }

  @Test
  void usageIsRecordedTwiceAMinute() throws SQLException {
    addAndLetTimePass(1);
    awaitNewKeys(1);
    addAndLetTimePass(2);
    awaitNewKeys(2);
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_usage")).isEqualTo(1);
  }

  @Test
  @ExpectedLog("the usage of filter words was not recorded")
  void usageThatMayBeRecordedIsNotRecordedAgain() throws SQLException {
    AtomicInteger lost = new AtomicInteger();
    tapped.loseCommit(
        IS_USAGE,
        commit -> {
          commit.execute("COMMIT");
          lost.incrementAndGet();
        });
    addAndLetTimePass(1);
    awaitNewKeys(1);
    addAndLetTimePass(2);
    awaitNewKeys(2);
    assertThat(lost).hasValue(1);
  }

  @Test
  @ExpectedLog("the usage of filter words was not recorded")
  void usageThatCouldNotBeRecordedIsRecordedLater() throws SQLException {
    sql.run("RENAME TABLE bloom_usage TO bloom_usage_elsewhere");
    int before = tapped.rollbacks();
    addAndLetTimePass(1);
    await().untilAsserted(() -> assertThat(tapped.rollbacks()).isGreaterThan(before));
    engine.writes().add(2);
    sql.run("RENAME TABLE bloom_usage_elsewhere TO bloom_usage");
    // It is tried less and less often.
    addAndLetTimePass(3);
    clock.advance(Duration.ofSeconds(31));
    awaitNewKeys(3);
  }

  @Test
  void callsDoNotWaitForALockedUsageRow() throws SQLException {
    addAndLetTimePass(1);
    awaitNewKeys(1);
    try (Connection holding = schema.dataSource().getConnection()) {
      holding.setAutoCommit(false);
      Sql.run(holding, "UPDATE bloom_usage SET positives = 7");
      assertThat(engine.writes().add(2)).isTrue();
      int before = tapped.rollbacks();
      words.close();
      // Who waits for a lock in vain rolls back.
      assertThat(tapped.rollbacks()).isEqualTo(before);
      holding.commit();
    }
    awaitNewKeys(1);
  }

  @Test
  void lookupsBeforeAClearDoNotCountAfterIt() throws SQLException {
    assertThat(engine.writes().add(1)).isTrue();
    bloom.admin("words").clear();
    assertThat(engine.writes().add(1)).isTrue();
    clock.advance(Duration.ofSeconds(31));
    awaitNewKeys(2);
    assertThat(bloom.info("words").usage().newKeys()).isZero();
    addAndLetTimePass(2);
    awaitNewKeys(3);
    assertThat(bloom.info("words").usage().newKeys()).isEqualTo(1);
  }
}
