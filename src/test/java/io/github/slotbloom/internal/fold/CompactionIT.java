package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RetainedWords;
import io.github.slotbloom.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hashes move from the journal into blocks, and none is ever in neither. */
@DatabaseContract(migrated = true, shortLeases = true)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class CompactionIT {

  private final RetainedWords words;
  private final Compaction compaction;

  CompactionIT(TestSchema schema) throws SQLException {
    words = new RetainedWords(schema);
    compaction = new Compaction(words.followed(), words.database()::transact);
  }

  @AfterEach
  void close() {
    words.close();
  }

  /** The filter that is open may look for something to fold at the same moment. */
  private void compact() {
    await().atMost(Duration.ofMinutes(2)).until(compaction::run);
  }

  @Test
  void everyHashThatWasEverAddedIsInABlockOrInTheJournal() throws SQLException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    words
        .bloom()
        .reserve(
            "others", FilterSpec.builder(KeyType.longs()).capacity(1000).retainHashes().build())
        .addEach(LongStream.range(0, 100).boxed().toList());
    words.bloom().admin("others").fold();
    words.sql().run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 DAY");
    String others =
        "SELECT COUNT(*), MAX(seq), CRC32(MAX(payload)) FROM bloom_journal WHERE filter_id <> ?";
    List<List<String>> othersBefore = words.sql().rows(others, words.engine().id());
    for (int step = 0; step < 20; step++) {
      switch (random.nextInt(5)) {
        case 0 -> {
          for (int i = random.nextInt(30); i >= 0; i--) {
            words.add(random.nextLong());
          }
        }
        case 1 -> words.add(random.longs(1 + random.nextInt(20_000)).toArray());
        case 2 -> words.fold();
        case 3 ->
            words.age(1 + random.nextInt((int) words.bloom().info("words").lastSequence() + 1));
        default -> compaction.run();
      }
      words.assertNothingLost("step " + step + ", seed " + seed);
    }
    addAsManyAsAreMovedInAnyCase(random);
    words.fold();
    words.ageAll();
    compact();
    assertThat(words.journalRows()).as("seed %d", seed).isEqualTo(1);
    words.assertNothingLost("at the end, seed " + seed);
    assertThat(words.inBlocks())
        .as("seed %d", seed)
        .isEqualTo(HashBlocks.ascending(words.inBlocks()));
    assertThat(words.sql().rows(others, words.engine().id())).isEqualTo(othersBefore);
    assertThat(words.bloom().info("words").keysAdded()).isEqualTo(words.answeredNew());
  }

  /** Few hashes stay in the journal: those that take less than an eighth of what the blocks do. */
  private void addAsManyAsAreMovedInAnyCase(Random random) {
    int hashesOfFullBlock = 8192;
    int fullBlocks = words.added().length / hashesOfFullBlock + 1;
    // Those that were split are at least half full.
    int hashes = 2 * fullBlocks * hashesOfFullBlock / 8;
    // The newest entry stays, whatever it holds.
    words.add(random.longs(hashes + 2 * hashesOfFullBlock).toArray());
  }

  @Test
  void youngUnfoldedAndNewestEntriesStay() throws SQLException {
    words.add(new Random(1).longs(30_000).toArray());
    words.fold();
    compact();
    assertThat(words.inBlocks()).as("young").isEmpty();
    words.age(2);
    compact();
    assertThat(words.inBlocks()).hasSize(2 * 8192);
    assertThat(words.sql().texts("SELECT seq FROM bloom_journal WHERE seq > 0 ORDER BY seq"))
        .containsExactly("3", "4");
    words.age(4);
    // Nobody folds any more.
    words.closeEngines();
    words.sql().run("UPDATE bloom_fold SET folded_seq = 2");
    compact();
    assertThat(words.journalRows()).as("not folded").isEqualTo(2);
    words.sql().run("UPDATE bloom_fold SET folded_seq = 4");
    compact();
    assertThat(words.sql().texts("SELECT seq FROM bloom_journal WHERE seq > 0"))
        .as("newest")
        .containsExactly("4");
    words.assertNothingLost("at the end");
  }

  @Test
  void aFewOldHashesStayInTheJournal() throws SQLException {
    words.add(new Random(1).longs(300_000).toArray());
    for (int i = 0; i < 20; i++) {
      words.add(i);
    }
    words.fold();
    words.ageAll();
    compact();
    assertThat(words.journalRows()).as("all at once, as much is moved").isEqualTo(1);
    String blocks = "SELECT COUNT(*) FROM bloom_hash_block";
    long before = words.sql().number(blocks);
    assertThat(before).isBetween(37L, 75L);
    words.add(new Random(2).longs(20_000).toArray());
    words.add(5000);
    words.fold();
    words.ageAll();
    compact();
    // The newest of before, three of new keys, one of those that seemed to be there, one of one
    // key.
    assertThat(words.journalRows()).as("not worth it").isEqualTo(6);
    words.add(new Random(3).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    compact();
    assertThat(words.journalRows()).isEqualTo(1);
    words.assertNothingLost("at the end");
  }

  @Test
  void anEntryThatBeginsAGenerationIsMoved() throws SQLException {
    words.add(new Random(1).longs(9000).toArray());
    words.bloom().admin("words").grow(600_000);
    words.add(new Random(2).longs(9000).toArray());
    words.fold();
    words.ageAll();
    compact();
    assertThat(words.journalRows()).isEqualTo(1);
    words.assertNothingLost("after growth");
  }

  @Test
  void theTrimmerMovesHashesBeforeItDeletesThem() throws SQLException {
    words.add(new Random(1).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    Trimmer trimmer =
        new Trimmer(words.followed(), words.database(), Backgrounds.inPlace(), ahead());
    // While the folder looks once more whether there is anything, it does nothing, and comes again.
    await()
        .untilAsserted(
            () -> {
              trimmer.tick();
              assertThat(words.journalRows()).isEqualTo(1);
            });
    words.assertNothingLost("after trimming");
  }

  /** A clock that is two minutes later each time it is looked at, so that it is time to trim. */
  private static TimeSource ahead() {
    return new TimeSource() {
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
  }

  @Test
  void aJournalWithAMissingEntryIsNotMoved() throws SQLException {
    words.add(new Random(1).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    words.sql().run("DELETE FROM bloom_journal WHERE seq = 2");
    assertThatThrownBy(this::compact)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContainingAll("filter words", "entry 2 is missing");
    assertThat(words.inBlocks()).isEmpty();
  }

  @Test
  void noHashMovesDuringAFoldOrAfterAClear() throws SQLException {
    words.add(new Random(1).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    try (Connection folding =
        ByHand.holdingFoldLockOf(words.engine().id(), words.pool().getConnection())) {
      assertThat(compaction.run()).isFalse();
      folding.rollback();
    }
    words.clear();
    words.ageAll();
    compact();
    assertThat(words.inBlocks()).isEmpty();
    assertThat(words.journalRows()).isEqualTo(1);
    words.add(new Random(2).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    compact();
    assertThat(words.journalRows()).isEqualTo(1);
    words.assertNothingLost("at the end");
  }

  /** Another one that sees all in one snapshot, two that compact at once, and clears in between. */
  @Test
  void everySnapshotShowsAllHashesAndAClearRemovesThem() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    AtomicBoolean done = new AtomicBoolean();
    Crowd compacting =
        Crowd.of(
            2,
            number -> {
              while (!done.get()) {
                compaction.run();
              }
            });
    try {
      for (int round = 0; round < 2; round++) {
        int batches = 2 + random.nextInt(2);
        for (int batch = 0; batch < batches; batch++) {
          words.add(random.longs(10_000 + random.nextInt(20_000)).toArray());
          words.fold();
          words.ageAll();
          words.assertNothingLostInSnapshot("round " + round + ", seed " + seed);
        }
        if (round % 2 == 1) {
          words.clear();
          words.assertNothingLost("after a clear, seed " + seed);
        }
      }
    } finally {
      done.set(true);
      compacting.join(Duration.ofMinutes(1));
    }
  }

  /**
   * The server that took over has the entries still, but not the blocks that they were merged into.
   */
  @Test
  void aFailoverThatLosesAMergeLosesNoHash() throws SQLException {
    words.add(new Random(1).longs(40_000).toArray());
    words.fold();
    words.ageAll();
    long entries = words.journalRows();
    AtomicBoolean failedOver = new AtomicBoolean();
    Compaction failingOver =
        new Compaction(
            words.followed(),
            Database.connect(
                    beforeEachConnection(
                        () -> {
                          if (words.inBlocks().length > 0 && !failedOver.getAndSet(true)) {
                            words.sql().run("DELETE FROM bloom_hash_block");
                            words.sql().run("UPDATE bloom_fold SET merge_token = 0");
                          }
                        }))
                ::transact);
    // While the folder looks once more whether there is anything, it does nothing.
    await()
        .until(
            () -> {
              assertThat(failingOver.run()).isFalse();
              return failedOver.get();
            });
    assertThat(words.journalRows()).isEqualTo(entries);
    words.assertNothingLost("after the failover");
    compact();
    assertThat(words.journalRows()).isEqualTo(1);
    words.assertNothingLost("at the end");
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
              return method.invoke(words.pool(), arguments);
            });
  }

  @Test
  void aVerificationDuringMovesFindsNoDamage() throws SQLException {
    // Or nothing could be old enough to be gone.
    words
        .sql()
        .run("UPDATE bloom_filter SET retention_seconds = 0 WHERE id = ?", words.engine().id());
    Random random = new Random(7);
    List<Integer> left = new ArrayList<>(List.of(3, 2, 1, 0));
    VerifyOptions options =
        VerifyOptions.defaults()
            .onProgress(
                progress -> {
                  if (!left.isEmpty()) {
                    left.remove(0);
                    addFoldAndCompact(random);
                  }
                });
    addFoldAndCompact(random);
    words.add(random.longs(12_000).toArray());
    words.fold();

    assertThat(words.bloom().admin("words").verify(options).findings()).isEmpty();

    assertThat(left.size()).as("moves that were not made meanwhile").isLessThan(3);
    assertThat(words.inBlocks().length).isGreaterThan(30_000);
    assertThat(words.bloom().admin("words").verify(options).findings()).isEmpty();
  }

  private void addFoldAndCompact(Random random) {
    words.add(random.longs(12_000).toArray());
    words.fold();
    try {
      words.ageAll();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    compact();
  }
}
