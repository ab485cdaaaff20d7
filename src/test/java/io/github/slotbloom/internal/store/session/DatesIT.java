package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.catalog.UsageRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times are those of the server, in UTC, whatever zone the JVM is in. */
@OddHours
@DatabaseContract(migrated = true, shortLeases = true)
@Tag("mysql")
class DatesIT {

  /** In Berlin the first does not exist, and the second comes twice. */
  private static final String SKIPPED = "2027-03-28T02:30:00.123Z";

  private static final String TWICE = "2027-10-31T02:30:00.123Z";

  private final TestSchema schema;
  private final Instances instances;
  private final Sql sql;
  private final FilterDirectory directory;
  private SlotBloom bloom;
  private long id;

  DatesIT(TestSchema schema) {
    this.schema = schema;
    instances = new Instances(schema);
    sql = new Sql(schema.dataSource());
    directory = FilterDirectory.connect(schema.dataSource(), TimeSource.SYSTEM);
  }

  @BeforeEach
  void reserve() {
    bloom = instances.another();
    bloom.reserve("words", FilterSpec.builder(KeyType.text()).capacity(1000).build()).close();
    id = directory.require(new FilterName("words")).id();
  }

  @AfterEach
  void close() {
    instances.close();
  }

  @Test
  void aFilterAndItsReplacementShowTheirTimes() throws SQLException {
    sql.run(
        """
        INSERT INTO bloom_replacement SET filter_id = ?, generation = 2, capacity = 2000,
          keys_before = 0, owner = 1, source = 'a file',
          phase = 'REPLAYING', keys_read = 0, begun_at = NOW(3), updated_at = NOW(3)""",
        id);
    FilterRecord filter = directory.require(new FilterName("words"));
    for (String time : List.of(SKIPPED, TWICE)) {
      sql.run(
          "UPDATE bloom_replacement SET begun_at = ?, updated_at = ? + INTERVAL 1 SECOND",
          column(time),
          column(time));
      Replacement replacement =
          directory
              .ask(tx -> ReplacementRows.find(tx, filter, Duration.ofSeconds(15)))
              .orElseThrow()
              .progress();
      assertThat(replacement.begunAt()).isEqualTo(time);
      assertThat(replacement.updatedAt()).isEqualTo(Instant.parse(time).plusSeconds(1));
      sql.run("UPDATE bloom_filter SET created_at = ? WHERE id = ?", column(time), id);
      assertThat(bloom.info("words").createdAt()).isEqualTo(time);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SKIPPED, TWICE})
  void aFilterFoldedAtAnOddHourIsFoldedWrittenAndCleared(String time) throws SQLException {
    FilterOptions mirrorless = FilterOptions.defaults().withoutMirror();
    try (BloomFilter<String> words = bloom.open("words", KeyType.text(), mirrorless);
        Connection connection = schema.dataSource().getConnection()) {
      assertThat(words.add("a")).isTrue();
      setFolded(time);
      bloom.admin(words.name()).fold();
      setFolded(time);
      connection.setAutoCommit(false);
      assertThat(words.within(connection).add("b")).isTrue();
      connection.commit();
      setFolded(time);
      bloom.admin(words.name()).clear();
      assertThat(words.mightContain("a")).isFalse();
    }
    setFolded(time);
    bloom.admin("words").drop();
    assertThat(bloom.names()).isEmpty();
  }

  private void setFolded(String time) throws SQLException {
    sql.run("UPDATE bloom_fold SET folded_at = ? WHERE filter_id = ?", column(time), id);
  }

  /** As a mark it must be told from each one before, to the millisecond. */
  @ParameterizedTest
  @ValueSource(strings = {SKIPPED, TWICE, "2090-07-01T00:00:00.999Z"})
  void theFoldRowShowsWhenItWasWritten(String time) throws SQLException {
    setFolded(time);
    long millis = Instant.parse(time).toEpochMilli();
    FoldState read = directory.ask(tx -> FoldRows.lock(tx, id)).orElseThrow();
    assertThat(read.atMillis()).isEqualTo(millis);
    Optional<FoldState> tried = directory.ask(tx -> FoldRows.tryLock(tx, id));
    assertThat(tried).contains(read);
    FoldState marked = directory.ask(tx -> FoldRows.mark(tx, id));
    assertThat(marked.atMillis()).as("never earlier").isGreaterThan(millis);
    FoldState again = directory.ask(tx -> FoldRows.mark(tx, id));
    assertThat(again.atMillis()).isGreaterThan(marked.atMillis());
    assertThat(sql.text("SELECT folded_at FROM bloom_fold WHERE filter_id = ?", id))
        .isEqualTo(column(Instant.ofEpochMilli(again.atMillis()).toString()));
    boolean advanced = directory.ask(tx -> FoldRows.advance(tx, id, again, 0));
    assertThat(advanced).isTrue();
    FoldState end = directory.ask(tx -> FoldRows.lock(tx, id)).orElseThrow();
    assertThat(end.atMillis())
        .isEqualTo(
            sql.number(
                "SELECT CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', folded_at) / 1000 AS SIGNED)"
                    + " FROM bloom_fold WHERE filter_id = ?",
                id));
  }

  @Test
  void usageIsRecordedForTheDayOfTheServer() throws SQLException {
    FilterUsage usage = new FilterUsage(1, 2, 3, 4, 5);
    boolean added = directory.ask(tx -> UsageRows.add(tx, id, 1, usage));
    assertThat(added).isTrue();
    assertThat(sql.texts("SELECT day = UTC_DATE() FROM bloom_usage WHERE filter_id = ?", id))
        .containsExactly("1");
    FilterUsage today = directory.ask(tx -> UsageRows.sumOfDays(tx, id, 1, 1));
    assertThat(today).isEqualTo(usage);
  }

  /** As the server shows it, and takes it. */
  private static String column(String time) {
    return time.replace('T', ' ').replace("Z", "");
  }
}
