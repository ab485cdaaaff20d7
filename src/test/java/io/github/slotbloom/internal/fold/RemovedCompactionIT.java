package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RetainedWords;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Hashes move from the journal into blocks, those of removed keys leave the blocks, and whoever
 * removes a key is told exactly whether it was there.
 */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class RemovedCompactionIT {

  private static final int KEYS = 20_000;
  private static final int AT_ONCE = 6_000;

  private final RetainedWords words;
  private final Compaction compaction;

  /** The hashes that were added and not removed; true if they were answered "new". */
  private final Map<Long, Boolean> model = new HashMap<>();

  RemovedCompactionIT(TestSchema schema) throws SQLException {
    // So many false positives that many keys are never answered "new".
    words =
        new RetainedWords(
            schema,
            RetainedWords.words()
                .capacity(KEYS)
                .falsePositiveRate(0.2)
                .fixed()
                .buildRemovable(100));
    compaction = new Compaction(words.followed(), words.database()::transact);
  }

  @AfterEach
  void close() {
    words.close();
  }

  private void add(long[] hashes) {
    boolean[] fresh = words.engine().writes().addEach(hashes);
    for (int i = 0; i < hashes.length; i++) {
      assertThat(fresh[i] && model.containsKey(hashes[i])).as("new twice").isFalse();
      model.merge(hashes[i], fresh[i], (before, now) -> before);
    }
  }

  private void remove(long[] hashes) {
    boolean[] expected = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      expected[i] = model.remove(hashes[i]) != null;
    }
    assertThat(words.engine().writes().removeEach(hashes)).isEqualTo(expected);
  }

  private void assertAgrees(String when) throws SQLException {
    assertThat(words.sql().number("SELECT keys_added FROM bloom_filter_status"))
        .as(when)
        .isEqualTo(model.values().stream().filter(counted -> counted).count());
    long[] members = model.keySet().stream().mapToLong(Long::longValue).toArray();
    assertThat(words.engine().lookups().mightContainEach(members)).as(when).doesNotContain(false);
  }

  @Test
  void removersAreToldExactlyWhetherAKeyWasThere() throws SQLException {
    long seed = new Random().nextInt();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    long[] keys = random.longs(KEYS).toArray();
    int compactions = 0;
    for (int step = 0; step < 40; step++) {
      String when = "step " + step + ", seed " + seed;
      int from = random.nextInt(KEYS - AT_ONCE);
      long[] some = Arrays.copyOfRange(keys, from, from + random.nextInt(AT_ONCE));
      switch (random.nextInt(4)) {
        case 0, 1 -> add(some);
        case 2 -> remove(Arrays.copyOf(some, some.length / 2));
        default -> {
          words.fold();
          words.ageAll();
          await().atMost(Duration.ofMinutes(2)).until(compaction::run);
          compactions += words.inBlocks().length > 0 ? 1 : 0;
        }
      }
      assertAgrees(when);
    }
    words.fold();
    words.ageAll();
    add(random.longs(20_000).toArray());
    words.fold();
    words.ageAll();
    await().atMost(Duration.ofMinutes(2)).until(compaction::run);
    assertThat(compactions).as("seed %d", seed).isPositive();
    assertOnlyMembersAreLeft();
    List<Long> all = new ArrayList<>(model.keySet());
    remove(all.stream().mapToLong(Long::longValue).limit(10_000).toArray());
    assertAgrees("at the end, seed " + seed);
  }

  /** An old snapshot shows the blocks as they were, and lacks the entries that left the journal. */
  @Test
  void aTransactionWithAnOldSnapshotKnowsWhatMovedToTheBlocksSince() throws SQLException {
    long[] keys = new Random(1).longs(20_000).toArray();
    try (Connection connection = words.pool().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Sql.run(connection, "SELECT COUNT(*) FROM bloom_journal");
      add(keys);
      words.fold();
      words.ageAll();
      await().atMost(Duration.ofMinutes(2)).until(compaction::run);
      assertThat(words.inBlocks()).contains(keys[0]);
      assertThat(words.engine().within(connection).removeEach(new long[] {keys[0]}))
          .containsExactly(true);
      connection.commit();
    }
    model.remove(keys[0]);
    assertAgrees("after the commit");
  }

  /** Once rebuilt, some of them seem to be there, and are answered "seen". */
  @Test
  void keysThatReturnUnnoticedAreNotCounted() throws SQLException {
    Random random = new Random(5);
    long[] keys = random.longs(15_000).toArray();
    long[] half = Arrays.copyOf(keys, keys.length / 2);
    add(keys);
    remove(half);
    words.bloom().admin("words").replace(KEYS + 1, KeySource.journal(), ReplaceOptions.defaults());
    add(half);
    assertThat(model.values()).contains(false);
    add(random.longs(100).toArray());
    words.fold();
    words.ageAll();
    await().atMost(Duration.ofMinutes(2)).until(compaction::run);
    assertAgrees("before");
    remove(half);
    assertAgrees("after");
  }

  /** What said so of keys before the clear means nothing. */
  @Test
  void keysThatNeverCountedBeforeAClearCountAfterIt() throws SQLException {
    long[] keys = new Random(6).longs(15_000).toArray();
    add(Arrays.copyOf(keys, 10_000));
    // Keys of one batch are not compared with each other.
    add(Arrays.copyOfRange(keys, 10_000, keys.length));
    long[] never = LongStream.of(keys).filter(key -> !model.get(key)).toArray();
    assertThat(never).isNotEmpty();
    // The newest entry stays where it is.
    add(new long[] {1});
    moveToBlocks();
    assertThat(words.sql().number("SELECT COUNT(*) FROM " + words.sql().removed("words")))
        .isEqualTo(never.length);
    words.clear();
    model.clear();
    // Those that come first are new.
    add(never);
    add(keys);
    moveToBlocks();
    assertThat(words.inBlocks()).contains(never);
    assertAgrees("before");
    try (Connection connection = words.pool().getConnection()) {
      connection.setAutoCommit(false);
      // Looks into the blocks, as memory of what was added last does not count there.
      assertThat(words.engine().within(connection).removeEach(never)).containsOnly(true);
      connection.commit();
    }
    LongStream.of(never).forEach(model::remove);
    assertAgrees("after");
  }

  /** Only a clear makes what the blocks hold void. */
  @Test
  void blocksStayWhenTheFilterIsReplaced() throws SQLException {
    long[] keys = new Random(7).longs(10_000).toArray();
    add(keys);
    // The newest entry stays where it is.
    add(new long[] {1});
    moveToBlocks();
    long[] before = words.inBlocks();
    assertThat(before).contains(keys[0]);
    words.bloom().admin("words").replace(KEYS + 1, KeySource.journal(), ReplaceOptions.defaults());
    words.fold();
    compaction.run();
    assertThat(words.inBlocks()).contains(before);
    remove(Arrays.copyOf(keys, 5_000));
    assertAgrees("after");
  }

  private void moveToBlocks() throws SQLException {
    words.fold();
    words.ageAll();
    await().atMost(Duration.ofMinutes(2)).until(compaction::run);
  }

  /** Of what was moved, the blocks hold what is there, and nothing else. */
  private void assertOnlyMembersAreLeft() throws SQLException {
    long[] inBlocks = words.inBlocks();
    assertThat(inBlocks).isNotEmpty();
    assertThat(Arrays.stream(inBlocks).filter(hash -> !model.containsKey(hash)).count()).isZero();
  }
}
