package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.DrivenBloom;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How many texts each operation sends to the server, with all that it sets and restores. A number
 * may fall, and never rise. {@link StatementsIT} has those of transactions of callers.
 */
@DatabaseContract(migrated = true, shortLeases = true)
@Tag("mysql")
class StatementCountsIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(1e-9).build();

  private static final FilterOptions MIRRORLESS = FilterOptions.defaults().withoutMirror();

  /** Nothing is done at some time on its own. */
  private static final class Never extends ScheduledThreadPoolExecutor {
    Never() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
      return super.schedule(work, 1, TimeUnit.DAYS);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable work, long first, long delay, TimeUnit unit) {
      return super.scheduleWithFixedDelay(work, 1, 1, TimeUnit.DAYS);
    }
  }

  @Fixture private static TestSchema schema;

  /** Never pings, as HikariCP does after half a second, which leaves no status to read. */
  private static org.apache.tomcat.jdbc.pool.DataSource pool;

  private static RecordedSql sent;
  private static ExecutorService background;
  private static Never never;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void connect() {
    pool = new org.apache.tomcat.jdbc.pool.DataSource();
    pool.setDriverClassName("com.mysql.cj.jdbc.Driver");
    pool.setUrl(schema.url());
    pool.setUsername(schema.owner().user());
    pool.setPassword(schema.owner().password());
    // With one connection, whoever has it is the last to use it.
    pool.setMaxActive(1);
    sent = new RecordedSql(pool);
    background = Executors.newCachedThreadPool();
    never = new Never();
    bloom = DrivenBloom.on(sent.dataSource(), TimeSource.SYSTEM, background, never);
  }

  @AfterDatabase
  static void close() {
    bloom.close();
    pool.close();
    background.shutdownNow();
    never.shutdownNow();
  }

  private static void assertSends(int most, Runnable operation) throws SQLException {
    awaitIdle();
    sent.clear();
    operation.run();
    awaitIdle();
    assertThat(sent.texts()).hasSizeBetween(1, most);
  }

  private static void awaitIdle() throws SQLException {
    sent.dataSource().getConnection().close();
  }

  @Test
  void withAMirror() throws SQLException {
    try (BloomFilter<String> filter = bloom.reserve("mirrored", SPEC)) {
      assertThat(filter.add("first")).isTrue();
      assertSends(1, () -> assertThat(filter.add("new")).isTrue());
      assertSends(1, () -> assertThat(filter.addEach(List.of("a", "b"))).containsOnly(true));
      assertSends(1, () -> assertThat(filter.mightContain("absent")).isFalse());
    }
  }

  @Test
  void withoutAMirror() throws SQLException {
    bloom.reserve("direct", SPEC).close();
    try (BloomFilter<String> filter = bloom.open("direct", KeyType.text(), MIRRORLESS)) {
      assertThat(filter.add("first")).isTrue();
      assertSends(2, () -> assertThat(filter.add("new")).isTrue());
      assertSends(1, () -> assertThat(filter.add("new")).isFalse());
      assertSends(2, () -> assertThat(filter.addEach(List.of("a", "b"))).containsOnly(true));
      assertSends(1, () -> assertThat(filter.mightContain("absent")).isFalse());
      assertSends(1, () -> assertThat(filter.mightContain("new")).isTrue());
    }
  }

  @Test
  void besideAnotherWriter() throws SQLException {
    bloom.reserve("shared", SPEC).close();
    try (SlotBloom other = SlotBloom.on(schema.dataSource());
        BloomFilter<String> there = other.open("shared", KeyType.text());
        BloomFilter<String> mirrored = bloom.open("shared", KeyType.text())) {
      assertThat(there.add("first")).isTrue();
      assertSends(2, () -> assertThat(mirrored.add("new")).isTrue());
      // It takes itself for alone, until it learns that it is not.
      assertThat(there.add("second")).isTrue();
      assertSends(4, () -> assertThat(mirrored.add("newer")).isTrue());
      assertThat(there.add("third")).isTrue();
      assertSends(2, () -> assertThat(mirrored.add("newest")).isTrue());
      assertThat(there.add("fourth")).isTrue();
      assertSends(1, () -> assertThat(mirrored.add("fourth")).isFalse());
      assertThat(there.add("fifth")).isTrue();
      assertSends(2, () -> assertThat(mirrored.addEach(List.of("a", "b"))).containsOnly(true));
    }
  }

  @Test
  void openedAndFolded() throws SQLException {
    bloom.reserve("opened", SPEC).close();
    assertSends(7, () -> bloom.open("opened", KeyType.text()).close());
    try (BloomFilter<String> filter = bloom.open("opened", KeyType.text())) {
      assertThat(filter.add("first")).isTrue();
      // One more than in the background, to find the filter.
      assertSends(9, () -> bloom.admin(filter.name()).fold());
    }
  }
}
