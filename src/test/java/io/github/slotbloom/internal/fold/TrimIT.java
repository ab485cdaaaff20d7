package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.WordsEngine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Folded journal rows are deleted some time after the retention, with a clock that tests set. */
@DatabaseContract(migrated = true, onOne = true, shortLeases = true)
class TrimIT {

  private final DataSource pool;
  private final Sql sql;
  private final SetClock clock = new SetClock();
  private SlotBloom bloom;
  private WordsEngine words;
  private FilterEngine engine;
  private long nextHash = 1;

  TrimIT(TestSchema schema) {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(3));
    sql = new Sql(schema.dataSource());
  }

  @BeforeEach
  void open() {
    bloom = SlotBloom.on(pool);
    bloom.reserve("words", FilterSpec.builder(KeyType.text()).capacity(100_000).build()).close();
    words = new WordsEngine(pool, clock);
    engine = words.engine;
  }

  @AfterEach
  void close() {
    words.close();
    bloom.close();
  }

  private void append(int entries) {
    for (int i = 0; i < entries; i++) {
      engine.writes().add(nextHash++ * 0x9E3779B97F4A7C15L);
    }
    bloom.admin("words").fold();
  }

  private void age(long upToSeq) throws SQLException {
    sql.run(
        "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE seq <= ?",
        upToSeq);
  }

  /** Adds one entry when it is time to trim. */
  private void letTimePass() {
    clock.advance(Duration.ofSeconds(61));
    append(1);
  }

  private void awaitJournal(long first, long last) {
    List<String> expected = LongStream.rangeClosed(first, last).mapToObj(Long::toString).toList();
    await()
        .untilAsserted(
            () ->
                assertThat(sql.texts("SELECT seq FROM bloom_journal WHERE seq > 0 ORDER BY seq"))
                    .isEqualTo(expected));
  }

  @Test
  void oldRowsAreTrimmedAsAPrefixAndFiltersStillLoad() throws SQLException {
    append(10);
    sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 HOUR");
    age(6);
    // One that is old as well, behind those that are within the retention.
    sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE seq = 8");
    letTimePass();
    awaitJournal(7, 11);
    assertThat(engine.writes().add(1 * 0x9E3779B97F4A7C15L)).isFalse();
    assertThat(bloom.info(bloom.open("words", KeyType.text()).name()).keysAdded()).isEqualTo(11);
    append(1);
    assertThat(bloom.info("words").lastSequence()).isEqualTo(12);
  }

  @Test
  void rowsSinceAReplacementBeganStayUntilItIsOver() throws SQLException {
    append(4);
    CutOffReplacement.begin(bloom, "words", 200_000, "a source", KeyType.text(), List.of());
    append(2);
    age(7);
    letTimePass();
    awaitJournal(5, 8);
    bloom.admin("words").abortReplacement();
    letTimePass();
    awaitJournal(8, 10);
  }

  @Test
  void unfoldedRowsStayAndTrimmingKeepsToItsLimit() throws SQLException {
    append(5);
    age(5);
    assertThat(trim(3, 2)).isEqualTo(2);
    assertThat(trim(3, 2)).isEqualTo(1);
    assertThat(trim(3, 2)).isZero();
    awaitJournal(4, 5);
    assertThat(trim(5, 1000)).isEqualTo(1);
    assertThat(trim(5, 1000)).isZero();
    awaitJournal(5, 5);
  }

  private int trim(long foldedSeq, int limit) {
    return Database.connect(pool)
        .transact(
            tx ->
                JournalTrimming.trim(
                    tx, Catalog.find(tx, engine.id()).orElseThrow(), foldedSeq, limit));
  }
}
