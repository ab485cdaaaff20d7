package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * The filter "words", which retains its hashes, all hashes that were ever added to it, and where
 * they are.
 */
public final class RetainedWords implements AutoCloseable {

  private static final String BLOCKS =
      "SELECT hashes FROM bloom_hash_block WHERE filter_id = ? ORDER BY first_hash";
  private static final String JOURNAL =
      "SELECT payload FROM bloom_journal WHERE filter_id = ? AND kind IN ('ADD', 'FILL', 'SEEN')";

  private final DataSource pool;
  private final DataSource byHand;
  private final Sql sql;
  private final SlotBloom bloom;
  private final FilterEngines engines;
  private final FilterEngine engine;
  private final Database database;
  private final FollowedFilter followed;
  private long[] added = {};
  private long answeredNew;

  public RetainedWords(TestSchema schema) throws SQLException {
    // A rate that makes for a small table, which is soon folded.
    this(schema, words().capacity(500_000).falsePositiveRate(0.1).build());
  }

  /** Begins a specification of the filter. */
  public static FilterSpec.Builder<String> words() {
    return FilterSpec.builder(KeyType.text()).retainHashes();
  }

  /** Reserves and opens the filter. */
  public RetainedWords(TestSchema schema, FilterSpec<String> spec) throws SQLException {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(4));
    byHand = schema.pool(settings -> settings.setMaximumPoolSize(2));
    sql = new Sql(byHand);
    bloom = SlotBloom.on(pool);
    bloom.reserve("words", spec).close();
    ShortLease.of("words", sql);
    database = Database.connect(pool);
    FilterRecord filter =
        database.transact(tx -> Catalog.find(tx, new FilterName("words"))).orElseThrow();
    engines = QuietEngines.on(database, TimeSource.SYSTEM);
    engine =
        engines.open(
            filter, FilterOptions.defaults().timeout(Duration.ofSeconds(20)).backlogLimit(100_000));
    followed = new FollowedFilter(filter);
  }

  /** Returns the connections of the filter. */
  public DataSource pool() {
    return pool;
  }

  public Sql sql() {
    return sql;
  }

  public SlotBloom bloom() {
    return bloom;
  }

  public FilterEngine engine() {
    return engine;
  }

  public Database database() {
    return database;
  }

  /** Returns the filter as another process follows it. */
  public FollowedFilter followed() {
    return followed;
  }

  /**
   * Returns the hashes that were added since the filter was created or cleared, in ascending order.
   */
  public long[] added() {
    return added;
  }

  /** Returns how many hashes were answered "new". */
  public long answeredNew() {
    return answeredNew;
  }

  /** Nobody has it open any more, so that nobody folds. */
  public void closeEngines() {
    engines.close();
  }

  /** Adds hashes. Also what only seems to be there is recorded. */
  public void add(long... hashes) {
    for (boolean fresh : engine.writes().addEach(hashes)) {
      answeredNew += fresh ? 1 : 0;
    }
    added = union(added, hashes);
  }

  /** Makes entries old enough to be moved. */
  public void age(long upToSeq) throws SQLException {
    sql.run(
        "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE seq <= ? AND"
            + " filter_id = ?",
        upToSeq,
        engine.id());
  }

  public void ageAll() throws SQLException {
    age(Long.MAX_VALUE);
  }

  /** Writes the entries that were committed before to the slots. */
  public void fold() {
    bloom.admin("words").fold();
  }

  public void clear() {
    bloom.admin("words").clear();
    added = new long[0];
  }

  public long[] inBlocks() throws SQLException {
    return hashes(BLOCKS);
  }

  public long journalRows() throws SQLException {
    return sql.number(
        "SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ? AND seq > 0", engine.id());
  }

  private long[] hashes(String query) throws SQLException {
    try (Connection connection = byHand.getConnection()) {
      return hashes(connection, query);
    }
  }

  private long[] hashes(Connection connection, String query) throws SQLException {
    LongStream.Builder hashes = LongStream.builder();
    for (byte[] payload : Sql.read(connection, query, row -> row.getBytes(1), engine.id())) {
      ByteBuffer stored = ByteBuffer.wrap(payload);
      while (stored.hasRemaining()) {
        hashes.add(stored.getLong());
      }
    }
    return hashes.build().toArray();
  }

  public void assertNothingLost(String when) throws SQLException {
    assertSame(when, hashes(BLOCKS), hashes(JOURNAL));
  }

  /** Looks at blocks and journal in one snapshot. */
  public void assertNothingLostInSnapshot(String when) throws SQLException {
    try (Connection snapshot =
        ByHand.transaction(byHand.getConnection(), Connection.TRANSACTION_REPEATABLE_READ)) {
      long[] inBlocks = hashes(snapshot, BLOCKS);
      long[] inJournal = hashes(snapshot, JOURNAL);
      snapshot.rollback();
      assertSame(when, inBlocks, inJournal);
    }
  }

  private void assertSame(String when, long[] inBlocks, long[] inJournal) {
    // Arrays, since comparing half a million boxed numbers would take most of the time.
    assertThat(Arrays.equals(union(inBlocks, inJournal), added)).as(when).isTrue();
  }

  private static long[] union(long[] some, long[] others) {
    return HashBlocks.ascending(
        LongStream.concat(LongStream.of(some), LongStream.of(others)).toArray());
  }

  @Override
  public void close() {
    engines.close();
    bloom.close();
  }
}
