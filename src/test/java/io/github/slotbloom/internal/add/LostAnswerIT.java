package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The answer to a COMMIT was lost, and the database went on before the writer looked. The token at
 * its place in the journal decides; where there is nothing to look at, the exception says so.
 */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class LostAnswerIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom other;
  private static TappedConnections database;
  private static SlotBloom bloom;
  private static Sql sql;
  private static DataSource byHand;

  private String name;
  private String key;
  private FilterInfo before;

  @BeforeDatabase
  static void migrate() {
    byHand = schema.pool(pool -> pool.setMaximumPoolSize(3));
    sql = new Sql(byHand);
    database = new TappedConnections(schema.pool(pool -> pool.setMaximumPoolSize(4)));
    bloom = SlotBloom.on(database.dataSource());
    for (Use use : Use.values()) {
      other.reserve(use.filterName(), use.spec(KeyType.text())).close();
    }
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  @BeforeEach
  void chooseKey(TestInfo test) {
    key = test.getTestMethod().orElseThrow().getName();
  }

  /** Folded, so that nothing but adds commits. */
  private BloomFilter<String> open(Use use, String filter) {
    name = filter;
    other.admin().fold(name);
    BloomFilter<String> opened = use.open(bloom, name, Duration.ofSeconds(20));
    assertThat(opened.mightContain(key)).isFalse();
    before = opened.info();
    return opened;
  }

  /** Of the transaction that adds, rather than of one that folds. */
  private void loseTheCommitOfTheAdd(TappedConnections.Instead instead) {
    database.loseCommit(
        "SELECT last_seq > "
            + before.lastSequence()
            + " FROM bloom_journal WHERE seq = 0 AND filter_id = "
            + before.id(),
        instead);
  }

  private interface Change {
    void make(Connection connection) throws SQLException;
  }

  private void inTransaction(Change change) throws SQLException {
    try (Connection connection = byHand.getConnection()) {
      connection.setAutoCommit(false);
      change.make(connection);
      connection.commit();
    }
  }

  /** Its COMMIT gets no answer, and another appends before the writer looks. */
  private void endTheAddAndAppend(String end, String keyOfAnother) {
    loseTheCommitOfTheAdd(
        commit -> {
          commit.execute(end);
          inTransaction(connection -> ByHand.append(connection, name, keyOfAnother, 4711));
        });
  }

  private void assertHolds(BloomFilter<String> filter, List<String> keys) {
    long expected = before.keysAdded() + keys.size();
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    assertThat(filter.add(key)).isFalse();
    assertThat(filter.info().keysAdded()).isEqualTo(expected);
    try (BloomFilter<String> fresh = other.open(name, KeyType.text())) {
      assertThat(fresh.mightContainEach(keys)).containsOnly(true);
      fresh.fold();
      assertThat(fresh.info().estimatedKeys()).isBetween(expected - 0.5, expected + 0.5);
    }
    filter.close();
  }

  @Test
  void anAddIsWrittenAgainIfAnotherEntryTookItsPlace() {
    BloomFilter<String> filter = open(USE, USE.filterName());
    endTheAddAndAppend("ROLLBACK", key + " of another");
    assertThat(filter.add(key)).isTrue();
    assertHolds(filter, List.of(key + " of another", key));
  }

  @Test
  void anotherProcessThatWroteTheSameKeyWins() {
    BloomFilter<String> filter = open(USE, USE.filterName());
    endTheAddAndAppend("ROLLBACK", key);
    assertThat(filter.add(key)).isFalse();
    assertHolds(filter, List.of(key));
  }

  @Test
  void anAddFindsItsOwnEntryBelowLaterOnes() {
    BloomFilter<String> filter = open(USE, USE.filterName());
    endTheAddAndAppend("COMMIT", key + " of another");
    assertThat(filter.add(key)).isTrue();
    assertHolds(filter, List.of(key, key + " of another"));
  }

  @Test
  void anEntryThatAFailoverLostAndOverwroteIsWrittenAgain() throws SQLException {
    BloomFilter<String> filter = open(USE, USE.filterName());
    Backup replica = Backup.of(byHand, name);
    loseTheCommitOfTheAdd(
        commit -> {
          commit.execute("COMMIT");
          inTransaction(
              connection -> {
                replica.restore(connection);
                ByHand.append(connection, name, key + " of another", 4711);
                ByHand.append(connection, name, key + " of a third", 4712);
              });
        });
    assertThat(filter.add(key)).isTrue();
    assertHolds(filter, List.of(key + " of another", key + " of a third", key));
  }

  private enum Trace {
    CLEARED("UPDATE bloom_filter SET epoch = epoch + 1 WHERE name = ?"),
    TRIMMED(
        "DELETE bloom_journal FROM bloom_journal JOIN bloom_filter ON id = filter_id"
            + " WHERE name = ? AND seq > 0"),
    DROPPED("DELETE FROM bloom_filter WHERE name = ?");

    final String removal;

    Trace(String removal) {
      this.removal = removal;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAddWithoutATraceHasAnUnknownOutcome(Trace trace) throws SQLException {
    String filterName = "trace_" + trace.name().toLowerCase(Locale.ROOT);
    other.reserve(filterName, Use.MIRRORED.spec(KeyType.text())).close();
    BloomFilter<String> filter = open(Use.MIRRORED, filterName);
    loseTheCommitOfTheAdd(
        commit -> {
          commit.execute("COMMIT");
          inTransaction(connection -> Sql.run(connection, trace.removal, name));
        });
    WriteFailedException failure =
        catchThrowableOfType(WriteFailedException.class, () -> filter.add(key));
    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(failure).hasMessageContaining("filter " + name).hasMessageContaining("may be");
    filter.close();
    sql.run("DELETE FROM bloom_filter WHERE name = ?", name);
  }
}
