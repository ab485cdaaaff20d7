package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Heartbeats;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whatever is done to a window, in any order and by any handle, and however its clock moves, it
 * answers like a map from keys to the time at which they were added.
 *
 * <p>{@code slotbloom.model.seed} repeats a sequence, though not the moments at which buckets begin
 * in the background; {@code slotbloom.model.steps} makes it longer.
 */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
class WindowModelIT {

  private static final int STEPS = Integer.getInteger("slotbloom.model.steps", 50);
  private static final long SEED = Long.getLong("slotbloom.model.seed", new Random().nextInt());
  private static final int CHECK_EVERY = 25;

  private static final int BUCKETS = 4;
  private static final Duration DAY = Duration.ofDays(1);
  private static final Window WINDOW = new Window(DAY.multipliedBy(BUCKETS), BUCKETS, false);

  /** So few that most come up again while they live. */
  private static final int DIFFERENT_KEYS = 150;

  /** So many that a bucket soon needs another layer. */
  private static final int MANY_KEYS = 400;

  /** So long ago that the clock never gets to the present. */
  private static final Duration PAST = Duration.ofDays(4_000);

  private static final Duration BOUND = Duration.ofMillis(40);

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  private static ClockedConnections clock;
  private static List<Heartbeats> processes;
  private static List<SlotBloom> blooms;

  @BeforeDatabase
  static void open() {
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(20));
    clock = new ClockedConnections(pool, Instant.now().minus(PAST));
    processes = List.of(process(), process(), process());
    blooms = processes.stream().map(each -> SlotBloom.builder(each.dataSource()).build()).toList();
    blooms.get(0).reserve("pace", FilterSpec.builder(KeyType.longs()).capacity(10).build());
    // Each has heartbeats as often as its most impatient filter needs.
    blooms.forEach(bloom -> bloom.open("pace", KeyType.longs(), Mode.BOUNDED.options()));
  }

  private static Heartbeats process() {
    return new Heartbeats(clock.dataSource());
  }

  @AfterDatabase
  static void close() {
    blooms.forEach(SlotBloom::close);
  }

  @ParameterizedTest
  @CsvSource({"false,true", "true,true"})
  void anySequenceOfOperationsAnswersLikeAMapFromKeysToTimes(boolean renews, boolean removable)
      throws Exception {
    System.out.printf(
        "Model of a window, renewed keys %s, removable %s, seed %d%n", renews, removable, SEED);
    try (Model model = new Model(renews, removable)) {
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

  /** The ways to open the filter. */
  private enum Mode {
    STRICT,
    BOUNDED,
    DIRECT;

    FilterOptions options() {
      FilterOptions options = FilterOptions.defaults();
      return switch (this) {
        case STRICT -> options;
        case BOUNDED -> options.freshness(Freshness.bounded(BOUND));
        case DIRECT -> options.withoutMirror();
      };
    }
  }

  private record Handle(Mode mode, BloomFilter<Long> filter) {}

  /**
   * How long a key lives.
   *
   * @param from the bucket from which it is found for the length of the window at least
   * @param to the newest bucket that may hold it
   */
  private record Life(long from, long to) {}

  /** What the tables say of the buckets. */
  private record Head(long bucket, long lastSeq, boolean ready) {}

  /** A filter, and what has to be in it. */
  private static final class Model implements AutoCloseable {
    private final Random random = new Random(SEED);
    private final String name;
    private final boolean renews;
    private final boolean removable;
    private final List<Handle> handles = new ArrayList<>();
    private final Map<Long, Life> lives = new HashMap<>();

    /** How many keys each bucket counts as new, and as renewed. */
    private final Map<Long, Long> added = new HashMap<>();

    private final Map<Long, Long> renewed = new HashMap<>();

    /** How many keys were removed in each bucket. */
    private final Map<Long, Long> removed = new HashMap<>();

    /** What became of each key, for messages. */
    private final Map<Long, List<String>> histories = new HashMap<>();

    private Head head;

    /** The newest bucket that the clock was in. */
    private long reached;

    /** The bucket that the clock was in when all processes heard of it last. */
    private long heard;

    /** True if all processes know what the clock says. */
    private boolean settled;

    /** The counts are known again in that bucket. */
    private long countedFrom;

    private Mode usedLast = Mode.STRICT;
    private long nextMany = 1_000_000;

    Model(boolean renews, boolean removable) throws SQLException {
      this.name = (renews ? "renewing" : "first_seen") + (removable ? "_removable" : "");
      this.renews = renews;
      this.removable = removable;
      FilterSpec.Builder<Long> spec =
          FilterSpec.builder(KeyType.longs())
              .capacity(2_000)
              .falsePositiveRate(1e-9)
              .window(WINDOW.length(), BUCKETS)
              .seed(random.nextLong());
      if (renews) {
        spec.renew();
      }
      blooms.get(0).reserve(name, removable ? spec.buildRemovable(100) : spec.build()).close();
      for (Mode mode : Mode.values()) {
        handles.add(open(mode));
      }
      reached = bucketNow();
      heard = bucketNow();
      settled = true;
      head = readHead();
    }

    private Handle open(Mode mode) {
      return new Handle(
          mode, blooms.get(mode.ordinal()).open(name, KeyType.longs(), mode.options()));
    }

    private static long micros() {
      return ChronoUnit.MICROS.between(Instant.EPOCH, clock.now());
    }

    private static long bucketNow() {
      return WINDOW.bucketAt(micros());
    }

    private BloomFilter<Long> any() {
      Handle handle = handles.get(random.nextInt(handles.size()));
      usedLast = handle.mode;
      return handle.filter;
    }

    private long someKey() {
      return random.nextInt(DIFFERENT_KEYS);
    }

    private List<Long> someKeys() {
      return LongStream.generate(this::someKey).limit(1 + random.nextInt(20)).boxed().toList();
    }

    void step() throws Exception {
      int dice = random.nextInt(100);
      if (dice < 15) {
        add(someKey());
      } else if (dice < 30) {
        List<Long> keys = someKeys();
        took(keys, any().addEach(keys), false);
      } else if (dice < 34) {
        addMany();
      } else if (dice < 56) {
        within(random.nextInt(3) > 0);
      } else if (dice < 74) {
        ask();
      } else if (dice < 77) {
        blooms.get(0).admin(any().name()).fold();
      } else if (dice < 80) {
        reopen(random.nextInt(handles.size()));
      } else if (dice < 81) {
        clear();
      } else if (removable && dice < 88) {
        List<Long> keys = someKeys();
        tookOut(keys, Removing.from(any()).removeEach(keys));
      } else {
        moveClock();
      }
    }

    private void add(long key) throws SQLException {
      took(List.of(key), new boolean[] {any().add(key)}, false);
    }

    private void addMany() throws SQLException {
      List<Long> keys = LongStream.range(nextMany, nextMany + MANY_KEYS).boxed().toList();
      nextMany += MANY_KEYS / 2;
      took(keys, any().addEach(keys), false);
    }

    private void reopen(int place) {
      Mode mode = handles.get(place).mode;
      handles.get(place).filter.close();
      handles.set(place, open(mode));
    }

    private void clear() throws SQLException {
      blooms.get(0).admin(any().name()).clear();
      lives.clear();
      added.clear();
      renewed.clear();
      removed.clear();
      head = readHead();
      countedFrom = 0;
    }

    /** The key was added, and its time is not over by any clock that was seen. */
    private boolean isFound(long key) {
      Life life = lives.get(key);
      return life != null && reached <= life.from + BUCKETS;
    }

    /** The key is there, or some process may not have heard yet that its time is over. */
    private boolean mayBeFound(long key) {
      Life life = lives.get(key);
      return life != null && Math.min(heard, bucketNow()) <= life.to + BUCKETS;
    }

    /**
     * Takes in what adds were answered.
     *
     * @param mayGoOn true if no table was ready, so that the newest generation may have gone on
     */
    private void took(List<Long> keys, boolean[] fresh, boolean mayGoOn) throws SQLException {
      followBuckets(mayGoOn);
      for (int i = 0; i < fresh.length; i++) {
        took(keys.get(i), fresh[i]);
      }
    }

    private void told(long key, String what) {
      String when =
          "%s at %s, bucket %d of %d%s, heard %d, by %s"
              .formatted(
                  what, clock.now(), head.bucket, reached, settled ? "" : "?", heard, usedLast);
      histories.computeIfAbsent(key, each -> new ArrayList<>()).add(when);
    }

    private String of(long key) {
      return "%d, %s, %s: %s".formatted(key, lives.get(key), histories.get(key), this);
    }

    private void took(long key, boolean fresh) {
      told(key, fresh ? "NEW" : "SEEN");
      if (fresh) {
        assertThat(isFound(key)).as("is new, though it was added: %s", of(key)).isFalse();
        lives.put(key, new Life(bucketNow(), Math.max(head.bucket, bucketNow())));
        added.merge(head.bucket, 1L, Long::sum);
        return;
      }
      assertThat(mayBeFound(key))
          .as("is not new, though it was not added or is over: %s", of(key))
          .isTrue();
      if (renews) {
        Life life = lives.get(key);
        if (settled) {
          if (life.to < head.bucket) {
            renewed.merge(head.bucket, 1L, Long::sum);
          }
          lives.put(
              key, new Life(Math.max(life.from, bucketNow()), Math.max(life.to, head.bucket)));
        } else {
          // Its process may not know that another bucket has begun: this clock leaps.
          long newest = Math.max(head.bucket, bucketNow());
          lives.put(key, new Life(life.from, Math.max(life.to, newest)));
          countedFrom = head.bucket + BUCKETS + 1;
        }
      }
    }

    /** Takes in what removals were answered. */
    private void tookOut(List<Long> keys, boolean[] out) throws SQLException {
      followBuckets(false);
      for (int i = 0; i < out.length; i++) {
        long key = keys.get(i);
        told(key, out[i] ? "OUT" : "MISSING");
        if (out[i]) {
          assertThat(mayBeFound(key))
              .as("is removed, though it was not added or is over: %s", of(key))
              .isTrue();
          lives.remove(key);
          removed.merge(head.bucket, 1L, Long::sum);
        } else {
          assertThat(isFound(key)).as("cannot be removed: %s", of(key)).isFalse();
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
        try (Statement statement = connection.createStatement()) {
          statement.execute("SELECT COUNT(*) FROM bloom_usage");
        }
        if (random.nextInt(3) == 0) {
          moveClock();
        }
        clock.moveClock(connection);
        within(connection, commit);
      }
    }

    private void within(Connection connection, boolean commit) throws SQLException {
      boolean mayGoOn = !readHead().ready;
      TransactionalWrites<Long> writes = any().within(connection);
      List<Runnable> answers = new ArrayList<>();
      try {
        for (int part = random.nextInt(3); part >= 0; part--) {
          addSome(writes, answers);
        }
      } catch (WriteFailedException e) {
        // A caller repeats the transaction.
        assertThat(e)
            .hasMessageContainingAll(name, "Roll back the transaction and repeat all of it");
        connection.rollback();
        return;
      }
      if (commit) {
        connection.commit();
        followBuckets(mayGoOn);
        answers.forEach(Runnable::run);
      } else {
        connection.rollback();
      }
    }

    private void addSome(TransactionalWrites<Long> writes, List<Runnable> answers) {
      List<Long> keys = someKeys();
      if (removable && random.nextInt(4) == 0) {
        boolean[] out = ((RemovableWrites<Long>) writes).removeEach(keys);
        answers.add(() -> unchecked(() -> tookOut(keys, out)));
        return;
      }
      boolean[] fresh = writes.addEach(keys);
      answers.add(() -> unchecked(() -> took(keys, fresh, false)));
    }

    private interface Step {
      void run() throws SQLException;
    }

    private static void unchecked(Step step) {
      try {
        step.run();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private void ask() {
      Handle handle = handles.get(random.nextInt(handles.size()));
      assertAnswered(handle, someKeys(), false);
    }

    /**
     * @param allHeard true if no process can lack what was removed
     */
    private void assertAnswered(Handle handle, List<Long> keys, boolean allHeard) {
      boolean[] found = handle.filter.mightContainEach(keys);
      for (int i = 0; i < found.length; i++) {
        long key = keys.get(i);
        if (found[i]) {
          boolean mayLag = removable && handle.mode == Mode.BOUNDED && !allHeard;
          assertThat(mayLag || mayBeFound(key)).as("%s finds %s", handle.mode, of(key)).isTrue();
        } else if (handle.mode != Mode.BOUNDED) {
          assertThat(isFound(key)).as("%s misses %s", handle.mode, of(key)).isFalse();
        }
      }
    }

    private void moveClock() throws SQLException {
      Instant edge = WINDOW.begin(bucketNow() + 1);
      int dice = random.nextInt(100);
      if (dice < 30) {
        leap(clock.now().plusMillis(random.nextLong(DAY.toMillis())));
      } else if (dice < 55) {
        // Processes take it that the clock runs on, so it must not stand right before an edge.
        leap(
            random.nextInt(3) == 0 ? edge.minusSeconds(60) : edge.plusNanos(random.nextInt(2_000)));
      } else if (dice < 70) {
        leap(edge.plus(DAY.multipliedBy(random.nextInt(BUCKETS))).plusSeconds(1));
      } else if (dice < 76) {
        leap(clock.now().plus(DAY.multipliedBy(BUCKETS + 1 + random.nextInt(5))));
      } else {
        leap(clock.now().minusMillis(random.nextLong(WINDOW.tolerance().toMillis())));
      }
    }

    /** Leaves it to chance whether the processes hear of it before anything else happens. */
    private void leap(Instant to) throws SQLException {
      // Keys that were won some time ago must not become of interest again.
      Instant least = WINDOW.begin(reached).minus(WINDOW.tolerance());
      clock.set(to.isBefore(least) ? least : to);
      reached = Math.max(reached, bucketNow());
      settled = false;
      if (random.nextInt(3) > 0) {
        settle();
      }
      followBuckets(false);
    }

    private void settle() {
      if (!settled) {
        List<Long> before = processes.stream().map(Heartbeats::begun).toList();
        for (int i = 0; i < before.size(); i++) {
          processes.get(i).awaitKnownSince(before.get(i));
        }
        settled = true;
        heard = bucketNow();
      }
    }

    /** Takes in what became of the buckets, also in the background. */
    private void followBuckets(boolean mayGoOn) throws SQLException {
      Head before = head;
      head = readHead();
      if (head.bucket == before.bucket) {
        return;
      }
      assertThat(head.bucket).isGreaterThan(before.bucket).isLessThanOrEqualTo(reached);
      if (mayGoOn || goesOn(before)) {
        lives.replaceAll(
            (key, life) -> life.to == before.bucket ? new Life(life.from, head.bucket) : life);
        countedFrom = head.bucket + BUCKETS + 1;
      }
    }

    /** Returns true if a generation is older than the first bucket that began since. */
    private boolean goesOn(Head before) throws SQLException {
      String later =
          LongStream.rangeClosed(before.bucket + 1, head.bucket)
              .mapToObj(Long::toString)
              .collect(Collectors.joining("|", "\"bucket\":(", "),"));
      return sql.number(
              "SELECT COUNT(*) FROM bloom_generation_status g JOIN bloom_filter f"
                  + " ON f.id = g.filter_id"
                  + " WHERE f.name = ? AND g.state = 'ACTIVE' AND g.bucket = f.bucket"
                  + " AND g.since_entry < (SELECT MIN(j.seq) FROM bloom_journal j"
                  + " WHERE j.filter_id = f.id AND j.kind = 'MANIFEST' AND j.seq > ?"
                  + " AND CONVERT(j.payload USING ascii) REGEXP ?)",
              name,
              before.lastSeq,
              later)
          > 0;
    }

    private Head readHead() throws SQLException {
      List<String> row =
          sql.rows(
                  "SELECT f.bucket, e.last_seq, EXISTS (SELECT 1 FROM bloom_unused_table t"
                      + " WHERE t.filter_id = f.id AND t.description LIKE '%created ahead%')"
                      + " FROM bloom_filter f JOIN bloom_journal e"
                      + " ON e.filter_id = f.id AND e.seq = 0 WHERE f.name = ?",
                  name)
              .get(0);
      return new Head(
          Long.parseLong(row.get(0)), Long.parseLong(row.get(1)), row.get(2).equals("1"));
    }

    /** Wherever one asks, and once all have heard of the clock. */
    void check() throws SQLException {
      settle();
      processes.forEach(Heartbeats::awaitKnown);
      followBuckets(false);
      List<Long> keys = List.copyOf(lives.keySet());
      for (Handle handle : handles) {
        assertAnswered(handle, keys, true);
      }
      FilterInfo info = blooms.get(0).info(name);
      if (head.bucket >= countedFrom) {
        assertThat(info.keysAdded()).as("keys of %s", this).isEqualTo(counted(added));
        assertThat(
                sql.number(
                    "SELECT COALESCE(e.keys_renewed, 0) FROM bloom_journal e JOIN bloom_filter f"
                        + " ON f.id = e.filter_id WHERE e.seq = 0 AND f.name = ?",
                    name))
            .as("renewed keys of %s", this)
            .isEqualTo(counted(renewed));
        assertThat(info.keysRemoved()).as("removed keys of %s", this).isEqualTo(counted(removed));
      }
      lives.keySet().removeIf(key -> !mayBeFound(key) && random.nextBoolean());
    }

    private long counted(Map<Long, Long> byBucket) {
      return byBucket.entrySet().stream()
          .filter(each -> each.getKey() + BUCKETS >= head.bucket)
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    void end() throws Exception {
      blooms.get(0).admin(handles.get(0).filter.name()).fold();
      for (int place = 0; place < handles.size(); place++) {
        reopen(place);
      }
      check();
      List<Long> keys = List.copyOf(lives.keySet());
      for (int from = 0; from < keys.size(); from += 500) {
        List<Long> some = keys.subList(from, Math.min(keys.size(), from + 500));
        took(some, any().addEach(some), false);
      }
      check();
    }

    @Override
    public void close() {
      handles.forEach(handle -> handle.filter.close());
    }

    @Override
    public String toString() {
      return "%s at %s, bucket %d of %d (heard %d): %d keys"
          .formatted(name, clock.now(), head.bucket, reached, heard, lives.size());
    }
  }
}
