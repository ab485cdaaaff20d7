package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableGalera;
import io.github.slotbloom.testing.KillableGroup;
import io.github.slotbloom.testing.KillableServers;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures what it costs to wait for the commits of other servers, and to write on several: see
 * docs/scale-out.md. {@value #PROPERTY} is the number of rounds. Each round has a second of each
 * contestant, in another order.
 */
@Tag("servers")
@DatabaseContract
@EnabledIfSystemProperty(named = ReplicationCostIT.PROPERTY, matches = "\\d+")
@Timeout(1200)
@PossibleLog(KnownLogs.SEVERAL_PRIMARIES)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class ReplicationCostIT {

  static final String PROPERTY = "slotbloom.cost.rounds";

  private static final int ROUNDS = Integer.getInteger(PROPERTY, 0);
  private static final long TRIAL_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int PROCESSES = 3;
  private static final int THREADS_OF_PROCESS = 4;

  private final TestDatabase database;
  private final AtomicLong next = new AtomicLong();
  private final Map<String, Contestant> contestants = new LinkedHashMap<>();
  private final Map<String, List<Double>> rates = new LinkedHashMap<>();

  private interface Contestant {
    double callsPerSecond() throws Exception;
  }

  private interface Call {
    void make() throws Exception;
  }

  ReplicationCostIT(TestDatabase database) {
    assumeFalse(database.isGiven(), () -> database.name() + " is one server");
    this.database = database;
  }

  private KillableServers start(boolean onePrimary) throws Exception {
    if (database.isMariaDb()) {
      return KillableGalera.start();
    }
    return onePrimary ? KillableGroup.start() : KillableGroup.startWithSeveralPrimaries();
  }

  @Test
  void waitingForOtherServers() throws Exception {
    try (KillableServers servers = start(true)) {
      DataSource first = servers.dataSources().get(0);
      new Sql(first).run("CREATE TABLE floor (id BIGINT PRIMARY KEY)");
      new Sql(first).run("INSERT INTO floor VALUES (-1)");
      PrimaryDataSource process = new PrimaryDataSource(List.of(first));
      try (SharedFilter shared =
              new SharedFilter(List.of(process, process), SharedFilter.exact().build());
          Connection eventual = first.getConnection();
          Connection waiting = process.getConnection()) {
        BloomFilter<String> mirrored = shared.filters().get(0);
        BloomFilter<String> direct = shared.filters().get(1);
        Sql.run(
            eventual,
            database.isMariaDb()
                ? "SET SESSION wsrep_sync_wait = 0"
                : "SET SESSION group_replication_consistency = 'EVENTUAL'");
        mirrored.add("asked");
        contestants.put("read a row", () -> alone(() -> read(eventual)));
        contestants.put("read a row, waiting", () -> alone(() -> read(waiting)));
        contestants.put("mightContain, absent", () -> alone(() -> askForNone(mirrored)));
        contestants.put("mightContain without a mirror", () -> alone(() -> ask(direct)));
        if (servers instanceof KillableGroup group) {
          DataSource secondary = group.waitingDataSource(1);
          BloomFilter<String> asking = shared.openAsking(process, secondary, true);
          BloomFilter<String> askingDirect = shared.openAsking(process, secondary, false);
          contestants.put(
              "mightContain, absent, by a secondary", () -> alone(() -> askForNone(asking)));
          contestants.put(
              "mightContain without a mirror, by a secondary",
              () -> alone(() -> ask(askingDirect)));
        }
        contestants.put("insert a row", () -> alone(() -> insert(eventual)));
        contestants.put("insert a row, waiting", () -> alone(() -> insert(waiting)));
        contestants.put("add", () -> alone(() -> add(mirrored)));
        compare();
      }
    }
  }

  @Test
  void writersOnSeveralServers() throws Exception {
    try (KillableServers servers = start(false)) {
      List<PrimaryDataSource> first = new ArrayList<>();
      List<PrimaryDataSource> each = new ArrayList<>();
      for (int process = 0; process < PROCESSES; process++) {
        first.add(new PrimaryDataSource(List.of(servers.dataSources().get(0))));
        each.add(new PrimaryDataSource(List.of(servers.dataSources().get(process))));
      }
      try (SharedFilter onOne = new SharedFilter(first, SharedFilter.exact().build());
          SharedFilter onAll = new SharedFilter(each, SharedFilter.exact().build())) {
        contestants.put("add, three processes, one server", () -> addFromAll(onOne));
        contestants.put("add, three processes, a server each", () -> addFromAll(onAll));
        compare();
      }
    }
  }

  private static void read(Connection connection) throws Exception {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id FROM floor WHERE id = -1")) {
      assertThat(select.executeQuery().next()).isTrue();
    }
  }

  private void insert(Connection connection) throws Exception {
    Sql.run(connection, "INSERT INTO floor VALUES (?)", next.getAndIncrement());
  }

  private static void ask(BloomFilter<String> filter) {
    assertThat(filter.mightContain("asked")).isTrue();
  }

  private static void askForNone(BloomFilter<String> filter) {
    assertThat(filter.mightContain("not there")).isFalse();
  }

  private void add(BloomFilter<String> filter) {
    assertThat(filter.add("key " + next.getAndIncrement())).isTrue();
  }

  private static double alone(Call call) throws Exception {
    long begin = System.nanoTime();
    long calls = 0;
    while (System.nanoTime() - begin < TRIAL_NANOS) {
      call.make();
      calls++;
    }
    return perSecond(calls, begin);
  }

  private double addFromAll(SharedFilter shared) throws InterruptedException {
    long begin = System.nanoTime();
    AtomicLong calls = new AtomicLong();
    Crowd.of(
            PROCESSES * THREADS_OF_PROCESS,
            number -> {
              while (System.nanoTime() - begin < TRIAL_NANOS) {
                add(shared.filters().get(number / THREADS_OF_PROCESS));
                calls.incrementAndGet();
              }
            })
        .join(Duration.ofMinutes(1));
    return perSecond(calls.get(), begin);
  }

  private static double perSecond(long calls, long begin) {
    return calls * 1e9 / (System.nanoTime() - begin);
  }

  private void compare() throws Exception {
    List<String> order = new ArrayList<>(contestants.keySet());
    for (int round = -1; round < ROUNDS; round++) {
      for (String name : order) {
        double rate = contestants.get(name).callsPerSecond();
        // The first round warms up.
        if (round >= 0) {
          rates.computeIfAbsent(name, its -> new ArrayList<>()).add(rate);
        }
      }
      Collections.rotate(order, 1);
    }
    List<Double> first = rates.get(contestants.keySet().iterator().next());
    for (String name : contestants.keySet()) {
      List<Double> mine = rates.get(name);
      System.out.printf(
          Locale.ROOT,
          "%s: %s: %s a second, to the first %s%n",
          database.name(),
          name,
          spread("%.0f", mine),
          spread(
              "%.2f",
              IntStream.range(0, ROUNDS)
                  .mapToObj(round -> mine.get(round) / first.get(round))
                  .toList()));
    }
    contestants.clear();
    rates.clear();
  }

  /** Returns the median and the range. */
  private static String spread(String format, List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return (format + " (" + format + " to " + format + ")")
        .formatted(sorted.get(sorted.size() / 2), sorted.get(0), sorted.get(sorted.size() - 1));
  }
}
