package io.github.slotbloom.reliability;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import io.github.slotbloom.testing.FailingDatabase;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabases;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * One storm: several processes use one filter while the nemesis rages; then the servers and
 * networks are well again, all processes end, and what each of them saw is checked against the
 * others and against the tables.
 */
final class Round implements Nemesis.ByHand {

  private static final String FILTER = "storm";
  private static final int WORKERS = 3;
  private static final int THREADS = 4;
  private static final int BOUND_MILLIS = 400;
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int PROBES = 20_000;

  /**
   * Each halves the false positive rate of the next generation, and 64-bit hashes carry only so
   * small a one.
   */
  private static final int MOST_GROWTHS = 2;

  private final RoundPlan plan;
  private final FailingDatabase server;
  private final Random random;
  private final List<String> complaints = new ArrayList<>();
  private final TestSchema schema;
  private final FaultyNetwork quietNetwork;
  private final Path directory;
  private final HistoryLog clears;
  private final SlotBloom bloom;
  private final BloomFilter<Long> survivor;
  private final StormReplacements replacements;
  private final List<CompletableFuture<Void>> growths = new ArrayList<>();

  private Round(RoundPlan plan, FailingDatabase server, Random random) throws Exception {
    this.plan = plan;
    this.server = server;
    this.random = random;
    schema = server.database().createSchema();
    quietNetwork = server.anotherNetwork();
    directory = Files.createTempDirectory("slotbloom-storm");
    clears = new HistoryLog(directory, "clears");
    HikariDataSource pool = schema.pool(quietNetwork, config -> config.setMaximumPoolSize(4));
    bloom = SlotBloom.on(pool);
    bloom.migrate();
    FilterSpec.Builder<Long> spec =
        FilterSpec.builder(KeyType.longs())
            .capacity(plan.capacity())
            .falsePositiveRate(plan.rate())
            .seed(random.nextLong());
    if (plan.retainHashes()) {
      spec.retainHashes();
    }
    Window window = plan.window();
    if (window != null) {
      spec.window(window.length(), window.buckets());
      if (window.renews()) {
        spec.renew();
      }
    }
    bloom
        .reserve(
            FILTER, plan.removable() ? spec.buildRemovable(plan.removablePercent()) : spec.build())
        .close();
    if (plan.faults().contains(Fault.REPLACE)) {
      // So that it comes to its end within a short round.
      new Sql(schema.dataSource())
          .run("UPDATE bloom_filter SET lease_millis = 1000 WHERE name = ?", FILTER);
    }
    survivor =
        bloom.open(
            FILTER, KeyType.longs(), FilterOptions.defaults().timeout(Duration.ofSeconds(60)));
    replacements =
        new StormReplacements(
            bloom,
            schema.dataSource(),
            FILTER,
            plan.retainHashes() ? Optional.empty() : Optional.of(directory));
  }

  /** Carries out a round, and adds what came of it to the tally. */
  static void run(RoundPlan plan, FailingDatabase server, long seed, Tally tally) throws Exception {
    System.out.println(
        "Round " + plan.name() + " on " + server.database().name() + ", seed " + seed);
    Round round = new Round(plan, server, new Random(seed));
    try {
      round.run(tally);
    } finally {
      round.close();
    }
    if (tally.violations().isEmpty()) {
      TestDatabases.delete(round.directory);
    } else {
      tally.violations().forEach(System.out::println);
      System.out.println("What happened is kept in " + round.directory);
    }
  }

  private void run(Tally tally) throws Exception {
    List<StormWorker> workers = startWorkers();
    try {
      for (StormWorker worker : workers) {
        worker.awaitReady(PATIENCE);
      }
      Nemesis nemesis = new Nemesis(plan.faults(), server, workers, random, this);
      nemesis.rageUntil(System.nanoTime() + plan.length().toNanos());
      for (StormWorker worker : workers) {
        worker.network().heal();
      }
      for (StormWorker worker : workers) {
        worker.end(PATIENCE);
        complaints.addAll(worker.complaints());
      }
      awaitGrowths();
      Findings findings = plan.window() == null ? check() : checkWindow(plan.window(), tally);
      tally.add(findings, nemesis.done(), complaints);
    } finally {
      for (StormWorker worker : workers) {
        worker.close();
      }
    }
  }

  private List<StormWorker> startWorkers() throws IOException {
    StormPlan storm =
        new StormPlan(
            directory,
            "",
            FILTER,
            0,
            THREADS,
            BOUND_MILLIS,
            System.nanoTime(),
            0,
            plan.removable(),
            plan.window() == null ? 0 : System.currentTimeMillis());
    List<StormWorker> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          new StormWorker(
              i, schema, server.anotherNetwork(), directory, storm, new Random(random.nextLong())));
    }
    return workers;
  }

  @Override
  public void clear() throws IOException {
    while (true) {
      int attempt = clears.begin(Kind.CLEAR, 0, 0, 0);
      try {
        bloom.admin(survivor.name()).clear();
        clears.complete(attempt, Answer.CLEARED);
        return;
      } catch (FilterUnavailableException e) {
        // A clear that failed half way goes on where it was, or all that is new is cleared, too.
        clears.complete(attempt, Answer.FAILED);
      }
    }
  }

  /** While the other faults go on, which may cut it off. */
  @Override
  public boolean grow() {
    if (growths.size() == MOST_GROWTHS) {
      return false;
    }
    growths.add(CompletableFuture.runAsync(this::growSome));
    return true;
  }

  @Override
  public boolean replace() {
    return replacements.another(plan.capacity() / 10, random.nextInt(4) == 0);
  }

  private void growSome() {
    try {
      FilterInfo info = bloom.info(FILTER);
      bloom.admin(FILTER).grow(Math.max(info.capacity(), info.keysAdded()) + plan.capacity() / 10);
    } catch (InvalidParameterException e) {
      System.out.println("It grew automatically meanwhile, or is replaced: " + e.getMessage());
    } catch (FilterUnavailableException | SchemaException e) {
      System.out.println("Growing was cut off: " + e.getMessage());
    }
  }

  private void awaitGrowths() throws Exception {
    for (CompletableFuture<Void> growth : growths) {
      growth.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    replacements.end(PATIENCE);
    Sql sql = new Sql(schema.dataSource());
    List<String> known =
        sql.texts(
            "SELECT slot_table FROM bloom_generation_status"
                + " UNION ALL SELECT slot_table FROM bloom_unused_table"
                // Whoever ended the replacements dropped what was left.
                + (plan.window() == null ? " WHERE description LIKE '%holds no keys'" : ""));
    for (String table :
        sql.texts(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ?"
                + " AND table_name LIKE 'bloom\\_bits\\_%'",
            schema.name())) {
      if (!known.contains(table)) {
        complaints.add("The table " + table + " belongs to no generation");
      }
    }
  }

  private Findings check() throws Exception {
    List<Operation> history = HistoryLog.readAll(directory);
    FilterState before = FilterState.read(schema.dataSource(), FILTER);
    complaints.addAll(before.violations());
    bloom.admin(survivor.name()).fold();
    FilterState state = FilterState.read(schema.dataSource(), FILTER);
    complaints.addAll(state.violations());
    if (state.foldedSeq() != state.lastSeq()) {
      complaints.add("Not everything is folded: " + state);
    }
    FilterInfo info = bloom.info(FILTER);
    if (info.keysAdded() > plan.capacity() && info.generations().size() == 1) {
      complaints.add("It did not grow: " + info);
    }
    compareAnswers(state, history);
    return new HistoryChecker(
            history,
            new HistoryChecker.Final(
                state.keysAdded(),
                state::timesCounted,
                state::entries,
                key -> state.contains(state.hash(key)),
                plan.rate() == RoundPlan.LOOSE ? state.coveredByOthers() : key -> false),
            plan.binaryLog())
        .check();
  }

  private Findings checkWindow(Window window, Tally tally) throws Exception {
    bloom.admin(survivor.name()).fold();
    FilterState state = FilterState.read(schema.dataSource(), FILTER);
    complaints.addAll(state.violations());
    JournaledBuckets buckets = state.buckets();
    tally.addRotations(buckets.rotations());
    System.out.println(
        buckets.rotations() + " buckets began, " + buckets.wentOn() + " of them in an old table");
    List<Operation> history = HistoryLog.readAll(directory);
    List<Long> keys = history.stream().map(Operation::key).distinct().toList();
    for (FilterOptions options :
        List.of(FilterOptions.defaults(), FilterOptions.defaults().withoutMirror())) {
      boolean[] found = bloom.open(FILTER, KeyType.longs(), options).mightContainEach(keys);
      for (int i = 0; i < found.length; i++) {
        if (found[i] && !state.contains(state.hash(keys.get(i)))) {
          complaints.add("The key " + keys.get(i) + " is found, but not in the tables");
        }
      }
    }
    return new WindowChecker(
            history, window, Duration.ofSeconds(2), buckets, state::hash, WindowChecker.wallClock())
        .check();
  }

  /** A mirror that lived through it, a new one and the tables themselves must all agree. */
  private void compareAnswers(FilterState state, List<Operation> history) {
    List<Long> keys =
        LongStream.concat(
                history.stream().filter(o -> o.kind() != Kind.CLEAR).mapToLong(Operation::key),
                random.longs(PROBES))
            .distinct()
            .boxed()
            .toList();
    compare("The mirror that lived through it", state, keys, survivor);
    FilterOptions options = FilterOptions.defaults();
    compare("A new mirror", state, keys, bloom.open(FILTER, KeyType.longs(), options));
    compare(
        "The filter without a mirror",
        state,
        keys,
        bloom.open(FILTER, KeyType.longs(), options.withoutMirror()));
  }

  private void compare(String who, FilterState state, List<Long> keys, BloomFilter<Long> filter) {
    boolean[] present = filter.mightContainEach(keys);
    int wrong = 0;
    for (int i = 0; i < present.length; i++) {
      if (present[i] != state.contains(state.hash(keys.get(i)))) {
        wrong++;
      }
    }
    if (wrong > 0) {
      complaints.add(who + " answers otherwise than the tables for " + wrong + " keys");
    }
  }

  private void close() throws Exception {
    bloom.close();
    schema.close();
    quietNetwork.close();
  }
}
