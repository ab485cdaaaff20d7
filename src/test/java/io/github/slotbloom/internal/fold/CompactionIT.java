package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.engine.ServerWatch;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.store.Database;
import io.github.slotbloom.internal.store.ServerSettings;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.NeverGrows;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hashes move from the journal into blocks, and none is ever in neither. */
@DatabaseContract(migrated = true)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class CompactionIT {

  private static final String BLOCKS =
      "SELECT hashes FROM bloom_hash_block WHERE filter_id = ? ORDER BY first_hash";
  private static final String JOURNAL =
      "SELECT payload FROM bloom_journal WHERE filter_id = ? AND kind IN ('ADD', 'FILL', 'SEEN')";

  private final DataSource pool;
  private final DataSource byHand;
  private final Sql sql;
  private SlotBloom bloom;
  private FilterEngines engines;
  private FilterEngine engine;
  private FilterContext context;
  private Compaction compaction;
  private long[] added = {};
  private long answeredNew;

  CompactionIT(TestSchema schema) {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(4));
    byHand = schema.pool(settings -> settings.setMaximumPoolSize(2));
    sql = new Sql(byHand);
  }

  @BeforeEach
  void open() throws SQLException {
    bloom = SlotBloom.on(pool);
    // A rate that makes for a small table, which is soon folded.
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(500_000)
            .falsePositiveRate(0.1)
            .retainHashes()
            .build();
    bloom.reserve("words", spec).close();
    ShortLease.of("words", sql);
    Database database = Database.connect(pool);
    FilterRecord filter =
        database.transact(tx -> Catalog.find(tx, new FilterName("words"))).orElseThrow();
    ServerSettings server = database.transact(ServerSettings::read);
    engines =
        new FilterEngines(
            database, server, TimeSource.SYSTEM, SlotBloomListener.NONE, new NeverGrows());
    engine =
        engines.open(
            filter, FilterOptions.defaults().timeout(Duration.ofSeconds(20)).backlogLimit(100_000));
    context =
        new FilterContext(
            filter,
            database,
            new ServerWatch(database, server, TimeSource.SYSTEM, SlotBloomListener.NONE),
            TimeSource.SYSTEM,
            SlotBloomListener.NONE,
            Backgrounds.inPlace());
    compaction = new Compaction(context);
  }

  @AfterEach
  void close() {
    engines.close();
    bloom.close();
  }

  /** Also what only seems to be there is recorded. */
  private void add(long... hashes) {
    for (boolean fresh : engine.addEach(hashes)) {
      answeredNew += fresh ? 1 : 0;
    }
    added = union(added, hashes);
  }

  /** The filter that is open may look for something to fold at the same moment. */
  private void compact() {
    await().until(compaction::run);
  }

  private void age(long upToSeq) throws SQLException {
    sql.run(
        "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE seq <= ? AND"
            + " filter_id = ?",
        upToSeq,
        engine.id());
  }

  private long[] inBlocks() throws SQLException {
    return hashes(BLOCKS);
  }

  private long[] inJournal() throws SQLException {
    return hashes(JOURNAL);
  }

  private long[] hashes(String query) throws SQLException {
    try (Connection connection = byHand.getConnection()) {
      return hashes(connection, query);
    }
  }

  private long[] hashes(Connection connection, String query) throws SQLException {
    LongStream.Builder hashes = LongStream.builder();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setLong(1, engine.id());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ByteBuffer payload = ByteBuffer.wrap(rows.getBytes(1));
          while (payload.hasRemaining()) {
            hashes.add(payload.getLong());
          }
        }
      }
    }
    return hashes.build().toArray();
  }

  private long journalRows() throws SQLException {
    return sql.number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ?", engine.id());
  }

  private void assertNothingLost(String when) throws SQLException {
    assertSame(when, inBlocks(), inJournal());
  }

  private void assertSame(String when, long[] inBlocks, long[] inJournal) {
    // Arrays, since comparing half a million boxed numbers would take most of the time.
    assertThat(Arrays.equals(union(inBlocks, inJournal), added)).as(when).isTrue();
  }

  private static long[] union(long[] some, long[] others) {
    return HashBlocks.ascending(
        LongStream.concat(LongStream.of(some), LongStream.of(others)).toArray());
  }

  @Test
  void everyHashThatWasEverAddedIsInABlockOrInTheJournal() throws SQLException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    bloom
        .reserve(
            "others", FilterSpec.builder(KeyType.longs()).capacity(1000).retainHashes().build())
        .addEach(LongStream.range(0, 100).boxed().toList());
    bloom.admin().fold("others");
    sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 DAY");
    String others =
        "SELECT COUNT(*), MAX(seq), CRC32(MAX(payload)) FROM bloom_journal WHERE filter_id <> ?";
    List<List<String>> othersBefore = sql.rows(others, engine.id());
    for (int step = 0; step < 40; step++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          for (int i = random.nextInt(30); i >= 0; i--) {
            add(random.nextLong());
          }
        }
        case 1 -> add(random.longs(1 + random.nextInt(40_000)).toArray());
        case 2 -> engine.fold();
        case 3 -> age(1 + random.nextInt((int) bloom.info("words").lastSequence() + 1));
        default -> compaction.run();
      }
      assertNothingLost("step " + step + ", seed " + seed);
    }
    addAsManyAsAreMovedInAnyCase(random);
    engine.fold();
    age(Long.MAX_VALUE);
    compact();
    assertThat(journalRows()).as("seed %d", seed).isEqualTo(1);
    assertNothingLost("at the end, seed " + seed);
    assertThat(inBlocks()).as("seed %d", seed).isEqualTo(HashBlocks.ascending(inBlocks()));
    assertThat(sql.rows(others, engine.id())).isEqualTo(othersBefore);
    assertThat(bloom.open("words", KeyType.text()).info().keysAdded()).isEqualTo(answeredNew);
  }

  /** Few hashes stay in the journal: those that take less than an eighth of what the blocks do. */
  private void addAsManyAsAreMovedInAnyCase(Random random) {
    int hashesOfFullBlock = 8192;
    int fullBlocks = added.length / hashesOfFullBlock + 1;
    // Those that were split are at least half full.
    int hashes = 2 * fullBlocks * hashesOfFullBlock / 8;
    // The newest entry stays, whatever it holds.
    add(random.longs(hashes + 2 * hashesOfFullBlock).toArray());
  }

  @Test
  void whatIsYoungNotFoldedOrNewestStays() throws SQLException {
    add(new Random(1).longs(30_000).toArray());
    engine.fold();
    compact();
    assertThat(inBlocks()).as("young").isEmpty();
    age(2);
    compact();
    assertThat(inBlocks()).hasSize(2 * 8192);
    assertThat(sql.texts("SELECT seq FROM bloom_journal ORDER BY seq")).containsExactly("3", "4");
    age(4);
    // Nobody folds any more.
    engines.close();
    sql.run("UPDATE bloom_fold SET folded_seq = 2");
    compact();
    assertThat(journalRows()).as("not folded").isEqualTo(2);
    sql.run("UPDATE bloom_fold SET folded_seq = 4");
    compact();
    assertThat(sql.texts("SELECT seq FROM bloom_journal")).as("newest").containsExactly("4");
    assertNothingLost("at the end");
  }

  @Test
  void aFewHashesStayInTheJournalHoweverOldTheyAre() throws SQLException {
    add(new Random(1).longs(300_000).toArray());
    for (int i = 0; i < 20; i++) {
      add(i);
    }
    engine.fold();
    age(Long.MAX_VALUE);
    compact();
    assertThat(journalRows()).as("all at once, as much is moved").isEqualTo(1);
    String blocks = "SELECT COUNT(*) FROM bloom_hash_block";
    long before = sql.number(blocks);
    assertThat(before).isBetween(37L, 75L);
    add(new Random(2).longs(20_000).toArray());
    add(5000);
    engine.fold();
    age(Long.MAX_VALUE);
    compact();
    // The newest of before, three of new keys, one of those that seemed to be there, one of one
    // key.
    assertThat(journalRows()).as("not worth it").isEqualTo(6);
    add(new Random(3).longs(40_000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    compact();
    assertThat(journalRows()).isEqualTo(1);
    assertNothingLost("at the end");
  }

  @Test
  void anEntryThatBeginsAGenerationGoesWithTheOthers() throws SQLException {
    add(new Random(1).longs(9000).toArray());
    bloom.admin().grow("words", 600_000);
    add(new Random(2).longs(9000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    compact();
    assertThat(journalRows()).isEqualTo(1);
    assertNothingLost("after growth");
    assertThat(sql.number("SELECT format_version FROM bloom_filter")).isEqualTo(3);
  }

  @Test
  void aJournalThatLacksAnEntryIsNotMoved() throws SQLException {
    add(new Random(1).longs(40_000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    sql.run("DELETE FROM bloom_journal WHERE seq = 2");
    assertThatThrownBy(this::compact)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContainingAll("filter words", "entry 2 is missing");
    assertThat(inBlocks()).isEmpty();
  }

  @Test
  void nothingMovesWhileSomebodyFoldsOrTheFilterIsBeingCleared() throws SQLException {
    add(new Random(1).longs(40_000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    try (Connection folding = byHand.getConnection()) {
      folding.setAutoCommit(false);
      Sql.run(folding, "SELECT * FROM bloom_fold FOR UPDATE");
      assertThat(compaction.run()).isFalse();
      folding.rollback();
    }
    sql.run("UPDATE bloom_filter SET state = 'CLEARING'");
    compact();
    assertThat(inBlocks()).isEmpty();
    sql.run("UPDATE bloom_filter SET state = 'ACTIVE'");
    compact();
    assertThat(journalRows()).isEqualTo(1);
    assertNothingLost("at the end");
  }

  /** Another one that sees all in one snapshot, two that compact at once, and clears in between. */
  @Test
  void nobodySeesAHashInNeitherAndNoneOutlivesAClear() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    AtomicBoolean done = new AtomicBoolean();
    List<CompletableFuture<Void>> compacting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      compacting.add(
          CompletableFuture.runAsync(
              () -> {
                while (!done.get()) {
                  compaction.run();
                }
              }));
    }
    try {
      for (int round = 0; round < 2; round++) {
        int batches = 2 + random.nextInt(4);
        for (int batch = 0; batch < batches; batch++) {
          add(random.longs(20_000 + random.nextInt(40_000)).toArray());
          engine.fold();
          age(Long.MAX_VALUE);
          try (Connection snapshot = byHand.getConnection()) {
            snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            snapshot.setAutoCommit(false);
            long[] inBlocks = hashes(snapshot, BLOCKS);
            long[] inJournal = hashes(snapshot, JOURNAL);
            snapshot.rollback();
            assertSame("round " + round + ", seed " + seed, inBlocks, inJournal);
          }
        }
        if (round % 2 == 1) {
          engine.clear();
          added = new long[0];
          assertNothingLost("after a clear, seed " + seed);
        }
      }
    } finally {
      done.set(true);
      compacting.forEach(CompletableFuture::join);
    }
  }

  /**
   * The server that took over has the entries still, but not the blocks that they were merged into.
   */
  @Test
  void aFailoverThatLosesAMergeLosesNoHash() throws SQLException {
    add(new Random(1).longs(40_000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    long entries = journalRows();
    AtomicBoolean failedOver = new AtomicBoolean();
    Compaction failingOver =
        new Compaction(
            onDatabase(
                Database.connect(
                    beforeEachConnection(
                        () -> {
                          if (inBlocks().length > 0 && !failedOver.getAndSet(true)) {
                            sql.run("DELETE FROM bloom_hash_block");
                            sql.run("UPDATE bloom_fold SET merge_token = 0");
                          }
                        }))));
    // While the folder looks once more whether there is anything, it does nothing.
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              assertThat(failingOver.run()).isFalse();
              return failedOver.get();
            });
    assertThat(journalRows()).isEqualTo(entries);
    assertNothingLost("after the failover");
    compact();
    assertThat(journalRows()).isEqualTo(1);
    assertNothingLost("at the end");
  }

  private FilterContext onDatabase(Database database) {
    return new FilterContext(
        context.filter(),
        database,
        context.server(),
        TimeSource.SYSTEM,
        SlotBloomListener.NONE,
        Backgrounds.inPlace());
  }

  private interface SqlAction {
    void run() throws SQLException;
  }

  private DataSource beforeEachConnection(SqlAction action) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                action.run();
              }
              return method.invoke(pool, arguments);
            });
  }

  @Test
  void theTrimmerMovesRatherThanDeletes() throws SQLException {
    add(new Random(1).longs(40_000).toArray());
    engine.fold();
    age(Long.MAX_VALUE);
    Trimmer trimmer = new Trimmer(aheadOf(context));
    // While the folder looks once more whether there is anything, it does nothing, and comes again.
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              trimmer.tick();
              assertThat(journalRows()).isEqualTo(1);
            });
    assertNothingLost("after trimming");
  }

  /** A clock that is two minutes later each time it is looked at, so that it is time to trim. */
  private FilterContext aheadOf(FilterContext other) {
    TimeSource hasty =
        new TimeSource() {
          private long looks;

          @Override
          public long nanoTime() {
            looks++;
            return System.nanoTime() + Duration.ofMinutes(2 * looks).toNanos();
          }

          @Override
          public long wallMillis() {
            return nanoTime() / 1_000_000;
          }
        };
    return new FilterContext(
        other.filter(),
        other.database(),
        other.server(),
        hasty,
        SlotBloomListener.NONE,
        Backgrounds.inPlace());
  }

  @Test
  void aVerificationMeanwhileMissesNothing() throws SQLException {
    // Or nothing could be old enough to be gone.
    sql.run("UPDATE bloom_filter SET retention_seconds = 0 WHERE id = ?", engine.id());
    Random random = new Random(7);
    List<Integer> left = new ArrayList<>(List.of(3, 2, 1, 0));
    VerifyOptions options =
        VerifyOptions.defaults()
            .samples(1000)
            .seed(1)
            .onProgress(
                progress -> {
                  if (!left.isEmpty()) {
                    left.remove(0);
                    addFoldAndCompact(random);
                  }
                });
    addFoldAndCompact(random);
    add(random.longs(12_000).toArray());
    engine.fold();

    assertThat(bloom.admin().verify("words", options).findings()).isEmpty();

    assertThat(left.size()).as("moves that were not made meanwhile").isLessThan(3);
    assertThat(inBlocks().length).isGreaterThan(30_000);
    assertThat(bloom.admin().verify("words", options).findings()).isEmpty();
  }

  private void addFoldAndCompact(Random random) {
    add(random.longs(12_000).toArray());
    engine.fold();
    try {
      age(Long.MAX_VALUE);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    compact();
  }
}
