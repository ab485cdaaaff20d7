package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;

/** Counts in the driver what each operation sends to the server. */
public final class Statements implements Measurement {

  private static final String SCHEMA = "perf_statements";
  private static final String FILTER = "keys";
  private static final int TRIES = 7;
  private static final int BATCH = 1_000;

  /**
   * Folding begins 50 ms after an add. This wait is long enough for the operation's own statements,
   * but ends before folding.
   */
  private static final Duration AFTER_AN_ANSWER = Duration.ofMillis(15);

  private static final Duration LONG_ENOUGH_FOR_HEARTBEATS = Duration.ofSeconds(3);

  private final List<List<String>> rows = new ArrayList<>();
  private Set<String> heartbeat = Set.of();
  private long nextKey;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    rows.clear();
    DatabaseAccount account = bench.database().emptySchema(SCHEMA);
    try (HikariDataSource pool = account.pool(4, RoundTrips.PARAMETER);
        SlotBloom bloom = SlotBloom.on(pool);
        Connection lock = account.connect()) {
      lock.setAutoCommit(false);
      bloom.migrate();
      FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1_000_000).build();
      bloom.reserve(FILTER, spec).close();
      opening(bloom);
      try (BloomFilter<String> filter = bloom.open(FILTER, KeyType.text())) {
        heartbeats();
        mirrored(bloom, filter);
        adding(bloom, filter);
      }
      withoutMirror(bloom);
      folding(account, bloom, lock);
    }
    bench.database().dropSchema(SCHEMA);
    report.add(
        new Table(
            "Round trips, the least of " + TRIES + " tries",
            List.of("operation", "round trips", "of these COMMIT, SET and the like", "what"),
            List.copyOf(rows)));
    report.note(
        "Counted by the driver, each text that it sends being one round trip. What goes on"
            + " in the background can come in between, so the least of some tries counts. The"
            + " heartbeat, which is one for all open filters of a process, is in its own row alone.");
  }

  private void opening(SlotBloom bloom) throws Exception {
    count(
        "open, mirrored, of an empty filter",
        () -> {},
        () -> closed(bloom.open(FILTER, KeyType.text())));
    count(
        "open, without a mirror",
        () -> {},
        () -> closed(bloom.open(FILTER, KeyType.text(), FilterOptions.defaults().withoutMirror())));
  }

  /** Closes the filter, since the next opening would share one that is left open. */
  private static BloomFilter<String> closed(BloomFilter<String> opened) {
    opened.close();
    return opened;
  }

  /** Counts what an open filter sends when nobody uses it. */
  private void heartbeats() throws InterruptedException {
    Thread.sleep(500);
    RoundTrips.clear();
    Thread.sleep(LONG_ENOUGH_FOR_HEARTBEATS.toMillis());
    List<String> sent = RoundTrips.sent();
    heartbeat = new HashSet<>(sent);
    rows.add(
        List.of(
            "nothing, for a second",
            String.format(
                Locale.ROOT, "%.1f", (double) sent.size() / LONG_ENOUGH_FOR_HEARTBEATS.toSeconds()),
            "",
            heartbeat.stream().map(Statements::word).distinct().sorted().toList().toString()));
  }

  private static void fold(SlotBloom bloom) {
    bloom.admin(FILTER).fold();
  }

  private void mirrored(SlotBloom bloom, BloomFilter<String> filter) throws Exception {
    String known = Keys.text(nextKey++);
    filter.add(known);
    count(
        "strict mightContain of a key in the mirror",
        () -> fold(bloom),
        () -> filter.mightContain(known));
    count(
        "strict mightContain of an absent key",
        () -> fold(bloom),
        () -> filter.mightContain(absent()));
    count(
        "strict mightContainEach of 1,000 absent keys",
        () -> fold(bloom),
        () -> filter.mightContainEach(Keys.texts(Keys.ABSENT, BATCH)));
    count("add of a key in the mirror", () -> fold(bloom), () -> filter.add(known));
    try (BloomFilter<String> bounded =
        bloom.open(
            filter.name(),
            KeyType.text(),
            FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofSeconds(1))))) {
      count(
          "bounded mightContain of an absent key",
          () -> fold(bloom),
          () -> bounded.mightContain(absent()));
    }
  }

  /**
   * Counts folding by an instance that does not have the filter open, so that nobody else folds.
   */
  private void folding(DatabaseAccount account, SlotBloom bloom, Connection lock) throws Exception {
    count(
        "fold of an entry of 1,000 keys",
        () -> {
          try (Statement statement = lock.createStatement()) {
            statement.execute("SELECT folded_seq FROM bloom_fold FOR UPDATE");
          }
          try (HikariDataSource pool = account.pool(2);
              SlotBloom other = SlotBloom.on(pool);
              BloomFilter<String> filter = other.open(FILTER, KeyType.text())) {
            filter.addEach(Keys.texts(nextKey, BATCH));
            nextKey += BATCH;
          }
          lock.rollback();
        },
        () -> {
          bloom.admin(FILTER).fold();
          return null;
        });
  }

  private void adding(SlotBloom bloom, BloomFilter<String> filter) throws Exception {
    count("add of a new key", () -> fold(bloom), () -> filter.add(Keys.text(nextKey++)));
    count(
        "addEach of 1,000 new keys",
        () -> fold(bloom),
        () -> {
          nextKey += BATCH;
          return filter.addEach(Keys.texts(nextKey - BATCH, BATCH));
        });
  }

  private void withoutMirror(SlotBloom bloom) throws Exception {
    try (BloomFilter<String> filter =
        bloom.open(FILTER, KeyType.text(), FilterOptions.defaults().withoutMirror())) {
      String known = Keys.text(nextKey++);
      filter.add(known);
      count(
          "no mirror: add of a new key", () -> fold(bloom), () -> filter.add(Keys.text(nextKey++)));
      count("no mirror: add of a known key", () -> fold(bloom), () -> filter.add(known));
      count("no mirror: mightContain", () -> fold(bloom), () -> filter.mightContain(absent()));
    }
  }

  private String absent() {
    return Keys.text(Keys.ABSENT + nextKey++);
  }

  private interface Before {
    void run() throws Exception;
  }

  private void count(String operation, Before before, Callable<?> work) throws Exception {
    List<List<String>> tries = new ArrayList<>();
    for (int i = 0; i < TRIES; i++) {
      before.run();
      RoundTrips.clear();
      Object result = work.call();
      Thread.sleep(AFTER_AN_ANSWER.toMillis());
      tries.add(RoundTrips.sent().stream().filter(sql -> !heartbeat.contains(sql)).toList());
      if (result instanceof BloomFilter<?> opened) {
        opened.close();
      }
    }
    tries.sort(Comparator.comparingInt(List::size));
    List<String> least = tries.get(0);
    long control = least.stream().filter(Statements::isControl).count();
    rows.add(
        List.of(
            operation,
            Integer.toString(least.size()),
            Long.toString(control),
            String.join(", ", least.stream().map(Statements::word).toList())));
  }

  private static boolean isControl(String sql) {
    return !Set.of("SELECT", "INSERT", "UPDATE", "DELETE").contains(word(sql));
  }

  private static String word(String sql) {
    return sql.strip()
        .replaceAll("^/\\*.*?\\*/\\s*", "")
        .split("\\W+", 2)[0]
        .toUpperCase(Locale.ROOT);
  }
}
