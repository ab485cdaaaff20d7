package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is done to a filter, in any order and by any handle, it answers like a set that errs on
 * one side only, and counts what it called new.
 *
 * <p>{@code slotbloom.model.seed} repeats a sequence, though not the moments at which a replacement
 * goes on in the background; {@code slotbloom.model.steps} makes it longer.
 */
@DatabaseContract(onOne = true)
@Timeout(180)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class ReplaceModelIT {

  private static final int STEPS = Integer.getInteger("slotbloom.model.steps", 100);
  private static final long SEED = Long.getLong("slotbloom.model.seed", new Random().nextInt());
  private static final int HANDLES = 3;

  /** So few that most come up again. */
  private static final int DIFFERENT_KEYS = 4_000;

  /** Each halves the error rate of the next generation. */
  private static final int MOST_GENERATIONS = 5;

  private static final int CHECK_EVERY = 25;
  private static final int KEYS_PER_PERMIT = 20;
  private static final int PERMITS_FOR_ALL = 1_000_000;

  private static TestSchema schema;
  private static Instances instances;
  private static List<SlotBloom> blooms;
  private static Sql sql;

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    sql = new Sql(schema.dataSource());
    instances = new Instances(schema);
    blooms = Stream.generate(instances::another).limit(HANDLES).toList();
    blooms.get(0).migrate();
  }

  @AfterDatabase
  static void close() {
    instances.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anySequenceOfOperationsAnswersLikeASet(boolean retainHashes) throws Exception {
    System.out.println("Model, retained hashes " + retainHashes + ", seed " + SEED);
    try (Model model = new Model(retainHashes ? "retaining" : "plain", retainHashes)) {
      for (int step = 1; step <= STEPS; step++) {
        model.step();
        if (step % CHECK_EVERY == 0) {
          model.check();
        }
      }
      model.end();
      System.out.println(model);
    }
  }

  /** A filter, and what has to be in it. Used by one thread, but for the sources. */
  private static final class Model implements AutoCloseable {
    private final Random random = new Random(SEED);
    private final String name;
    private final boolean retainHashes;
    private final List<BloomFilter<Long>> handles = new ArrayList<>();
    private final Set<Long> members = ConcurrentHashMap.newKeySet();
    private @Nullable Replacing replacing;
    private long counted;
    private int seemed;
    private int finished;
    private int abandoned;

    Model(String name, boolean retainHashes) throws SQLException {
      this.name = name;
      this.retainHashes = retainHashes;
      var spec =
          FilterSpec.builder(KeyType.longs())
              .capacity(300)
              .falsePositiveRate(0.3)
              .seed(random.nextLong());
      blooms.get(0).reserve(name, (retainHashes ? spec.retainHashes() : spec).build()).close();
      ShortLease.of(name, sql);
      for (int i = 0; i < HANDLES; i++) {
        handles.add(open(i));
      }
    }

    private BloomFilter<Long> open(int place) {
      FilterOptions options = FilterOptions.defaults();
      return blooms
          .get(place)
          .open(name, KeyType.longs(), random.nextInt(3) == 0 ? options.withoutMirror() : options);
    }

    private BloomFilter<Long> any() {
      return handles.get(random.nextInt(HANDLES));
    }

    private SlotBloom anyBloom() {
      return blooms.get(random.nextInt(HANDLES));
    }

    private List<Long> someKeys() {
      return LongStream.generate(() -> random.nextInt(DIFFERENT_KEYS))
          .limit(1 + random.nextInt(20))
          .boxed()
          .toList();
    }

    void step() throws Exception {
      int dice = random.nextInt(100);
      if (dice < 20) {
        long key = random.nextInt(DIFFERENT_KEYS);
        added(List.of(key), new boolean[] {any().add(key)});
      } else if (dice < 45) {
        List<Long> keys = someKeys();
        added(keys, any().addEach(keys));
      } else if (dice < 60) {
        within(random.nextInt(3) > 0);
      } else if (dice < 72) {
        assertAnswered(any(), someKeys());
      } else if (dice < 76) {
        any().fold();
      } else if (dice < 80) {
        int place = random.nextInt(HANDLES);
        handles.get(place).close();
        handles.set(place, open(place));
      } else if (dice < 83) {
        grow();
      } else if (dice < 84) {
        clear();
      } else {
        replaceSome();
      }
    }

    /** What was called new is counted, and what was called seen has to stay so. */
    private void added(List<Long> keys, boolean[] fresh) {
      for (int i = 0; i < fresh.length; i++) {
        long key = keys.get(i);
        boolean isMember = !members.add(key);
        assertThat(fresh[i] && isMember).as("%d is new, though it was added", key).isFalse();
        if (fresh[i]) {
          counted++;
        } else if (!isMember) {
          seemed++;
        }
      }
    }

    private void within(boolean commit) throws SQLException {
      try (Connection connection = schema.dataSource().getConnection()) {
        connection.setTransactionIsolation(
            random.nextBoolean()
                ? Connection.TRANSACTION_REPEATABLE_READ
                : Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        TransactionalWrites<Long> adds = any().within(connection);
        List<Long> keys = new ArrayList<>();
        List<Boolean> fresh = new ArrayList<>();
        for (int part = random.nextInt(3); part >= 0; part--) {
          List<Long> some = someKeys();
          boolean[] answers = adds.addEach(some);
          for (int i = 0; i < answers.length; i++) {
            keys.add(some.get(i));
            fresh.add(answers[i]);
          }
        }
        if (commit) {
          connection.commit();
          boolean[] answers = new boolean[fresh.size()];
          for (int i = 0; i < answers.length; i++) {
            answers[i] = fresh.get(i);
          }
          added(keys, answers);
        } else {
          connection.rollback();
        }
      }
    }

    private void assertAnswered(BloomFilter<Long> filter, List<Long> keys) {
      boolean[] found = filter.mightContainEach(keys);
      for (int i = 0; i < found.length; i++) {
        assertThat(found[i] || !members.contains(keys.get(i)))
            .as("%d was added and is found", keys.get(i))
            .isTrue();
      }
    }

    private void grow() {
      FilterInfo info = anyBloom().info(name);
      if (info.generations().size() >= MOST_GENERATIONS) {
        return;
      }
      long capacity = Math.max(info.capacity(), info.keysAdded()) + 1 + random.nextInt(200);
      try {
        anyBloom().admin().grow(name, capacity);
      } catch (InvalidParameterException e) {
        // It is being replaced, or grew by itself to more than that.
        assertThat(e).hasMessageContaining(name);
      }
    }

    private void clear() throws Exception {
      any().clear();
      members.clear();
      counted = 0;
      endReplacing();
    }

    /** Lets one end that was given up, unless it had come to its end by then. */
    private void endReplacing() throws Exception {
      if (replacing != null) {
        if (replacing.isGivenUp()) {
          abandoned++;
        } else {
          finished++;
        }
        replacing = null;
      }
    }

    private void replaceSome() throws Exception {
      if (replacing == null) {
        FilterInfo info = anyBloom().info(name);
        long capacity = Math.max(300, info.keysAdded()) + 1 + random.nextInt(500);
        boolean fromJournal = retainHashes && random.nextBoolean();
        replacing = new Replacing(anyBloom(), name, capacity, members, fromJournal);
      } else if (random.nextInt(4) > 0) {
        replacing.permits.release(1 + random.nextInt(10));
      } else if (random.nextInt(3) > 0) {
        finishReplacing();
      } else {
        abort();
      }
    }

    private void finishReplacing() throws Exception {
      if (replacing != null) {
        replacing.finish();
        replacing = null;
        finished++;
        check();
        assertNoTableIsLeft();
      }
    }

    private void abort() throws Exception {
      anyBloom().admin().abortReplacement(name);
      endReplacing();
      check();
    }

    /** One may be there that the filter will grow by. */
    private void assertNoTableIsLeft() throws SQLException {
      assertThat(
              sql.number(
                  "SELECT COUNT(*) FROM information_schema.tables t WHERE table_schema = ?"
                      + " AND table_name LIKE ? AND NOT EXISTS (SELECT 1 FROM bloom_generation"
                      + " WHERE slot_table = t.table_name AND state IN ('ACTIVE', 'CREATING'))",
                  schema.name(),
                  "bloom\\_bits\\_" + name + "\\_v%"))
          .as("tables that belong to nothing")
          .isZero();
    }

    /** Wherever one asks. */
    void check() throws SQLException {
      List<Long> keys = List.copyOf(members);
      for (BloomFilter<Long> handle : handles) {
        assertAnswered(handle, keys);
      }
      assertThat(sql.number("SELECT keys_added FROM bloom_filter_status WHERE name = ?", name))
          .as("keys that were called new")
          .isEqualTo(counted);
    }

    void end() throws Exception {
      finishReplacing();
      handles.get(0).fold();
      for (int place = 0; place < HANDLES; place++) {
        handles.get(place).close();
        handles.set(place, open(place));
      }
      check();
      added(List.copyOf(members), any().addEach(List.copyOf(members)));
      anyBloom().admin().abortReplacement(name);
      assertNoTableIsLeft();
    }

    @Override
    public void close() {
      if (replacing != null) {
        replacing.permits.release(PERMITS_FOR_ALL);
        replacing.outcome.exceptionally(failure -> null).join();
      }
      handles.forEach(BloomFilter::close);
    }

    @Override
    public String toString() {
      return String.format(
          "%s: %d keys, %d counted, %d only seemed to be in it; %d replacements finished, %d given"
              + " up",
          name, members.size(), counted, seemed, finished, abandoned);
    }
  }

  /** A replacement in the background, whose source waits for permits. */
  private static final class Replacing {
    final Semaphore permits = new Semaphore(0);
    final CompletableFuture<Void> outcome;
    private final Set<Long> members;
    private @Nullable List<Long> keys;

    Replacing(SlotBloom bloom, String name, long capacity, Set<Long> members, boolean fromJournal) {
      this.members = members;
      KeySource source =
          fromJournal
              ? KeySource.journal()
              : KeySource.of("all so far", KeyType.longs(), this::paced);
      // Batches so small that there are several.
      ReplaceOptions options = ReplaceOptions.defaults().keysPerSecond(1_000);
      outcome =
          CompletableFuture.runAsync(() -> bloom.admin().replace(name, capacity, source, options));
      await().until(() -> outcome.isDone() || bloom.admin().replacement(name).isPresent());
    }

    /** Brings nothing that was added after it began to be read. */
    private synchronized Stream<Long> paced() {
      if (keys == null) {
        keys = List.copyOf(members);
      }
      int[] n = {0};
      return keys.stream()
          .peek(
              key -> {
                if (n[0]++ % KEYS_PER_PERMIT == 0) {
                  permits.acquireUninterruptibly();
                }
              });
    }

    void finish() throws Exception {
      permits.release(PERMITS_FOR_ALL);
      outcome.get(60, TimeUnit.SECONDS);
    }

    boolean isGivenUp() throws Exception {
      permits.release(PERMITS_FOR_ALL);
      Throwable failure =
          outcome.<Throwable>handle((done, thrown) -> thrown).get(60, TimeUnit.SECONDS);
      if (failure != null) {
        assertThat(failure).hasCauseInstanceOf(ReplacementException.class);
      }
      return failure != null;
    }
  }
}
