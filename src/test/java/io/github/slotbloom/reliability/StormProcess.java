package io.github.slotbloom.reliability;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A process with several threads that storm one filter, until its standard input ends. It prints
 * {@link #READY} when it is under way, and then what it did not expect.
 */
final class StormProcess {

  static final String READY = "ready";
  static final String URL = "STORM_URL";
  static final String USER = "STORM_USER";
  static final String PASSWORD = "STORM_PASSWORD";

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static volatile boolean ended;

  private StormProcess() {}

  /** Takes the arguments of a {@link StormPlan}. */
  public static void main(String[] arguments) throws Exception {
    StormPlan plan = StormPlan.parse(arguments);
    watchStandardInput();
    try (HikariDataSource pool = pool(plan);
        SlotBloom bloom = patiently(() -> SlotBloom.on(pool))) {
      Storm.Handles handles =
          new Storm.Handles(
              open(bloom, plan, options -> options),
              open(
                  bloom,
                  plan,
                  options ->
                      options.freshness(Freshness.bounded(Duration.ofMillis(plan.boundMillis())))),
              open(bloom, plan, FilterOptions::withoutMirror));
      say(READY);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < plan.threads(); i++) {
        Storm storm = storm(plan, i, handles, pool);
        Thread thread = new Thread(() -> rage(storm), "storm-" + i);
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  /** Also if the parent was killed. */
  private static void watchStandardInput() {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {}
              } catch (IOException e) {
                say("cannot read standard input: " + e);
              }
              ended = true;
            });
    watch.setDaemon(true);
    watch.start();
  }

  private static HikariDataSource pool(StormPlan plan) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(System.getenv(URL));
    config.setUsername(System.getenv(USER));
    config.setPassword(System.getenv(PASSWORD));
    config.setMaximumPoolSize(plan.poolSize());
    config.setConnectionTimeout(2_000);
    config.setInitializationFailTimeout(-1);
    // Left to itself HikariCP 7.1 asks the first connection once for the default. If that breaks
    // just
    // then, it sets level -1 on all that follow, which fails for good.
    config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    config.setLeakDetectionThreshold(120_000);
    return new HikariDataSource(config);
  }

  private static BloomFilter<Long> open(
      SlotBloom bloom, StormPlan plan, UnaryOperator<FilterOptions> change) {
    FilterOptions options = change.apply(FilterOptions.defaults().timeout(TIMEOUT));
    return patiently(() -> bloom.open(plan.filter(), KeyType.longs(), options));
  }

  /** The server may be down just now. */
  private static <T> T patiently(Supplier<T> work) {
    while (true) {
      try {
        return work.get();
      } catch (FilterUnavailableException e) {
        if (ended) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }

  private static Storm storm(
      StormPlan plan, int number, Storm.Handles handles, HikariDataSource pool) {
    Random random = new Random(plan.seed() + number);
    int owner = (plan.name() + "-" + number).hashCode() & Integer.MAX_VALUE;
    return new Storm(
        handles,
        pool,
        new HistoryLog(plan.histories(), plan.name() + "-" + number),
        new StormKeys(random, plan.begun(), plan.removable() || plan.eventsFromMillis() > 0, owner),
        random,
        plan.boundMillis(),
        plan.removable(),
        plan.eventsFromMillis());
  }

  private static void rage(Storm storm) {
    while (!ended) {
      try {
        storm.once();
      } catch (IOException | RuntimeException | Error e) {
        e.printStackTrace();
        say("unexpected: " + e);
        return;
      }
    }
  }

  private static synchronized void say(String line) {
    System.out.println(line);
  }
}
