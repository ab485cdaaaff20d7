package io.github.slotbloom.reliability;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.ThreadlessProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A process that uses some filters and is at times not allowed to start threads: a line of standard
 * input for each thing to do, and a line of standard output for how it went. Says "ready" first,
 * and ends when its standard input does.
 */
final class CrowdedProcess implements AutoCloseable {

  /** The filter that is looked at. */
  static final String WATCHED = "watched";

  /** More than the threads that may be left idle before. */
  static final int OTHERS = 12;

  private static final String URL = "SLOTBLOOM_TEST_URL";
  private static final String USER = "SLOTBLOOM_TEST_USER";
  private static final String PASSWORD = "SLOTBLOOM_TEST_PASSWORD";

  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private final BloomFilter<Long> watched;
  private final List<BloomFilter<Long>> others = new ArrayList<>();
  private final List<CompletableFuture<Boolean>> underWay = new ArrayList<>();
  private int occupied;

  private CrowdedProcess() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(System.getenv(URL));
    config.setUsername(System.getenv(USER));
    config.setPassword(System.getenv(PASSWORD));
    // A pool that grows starts threads of its own.
    config.setMaximumPoolSize(OTHERS + 4);
    config.setInitializationFailTimeout(20_000);
    pool = new HikariDataSource(config);
    bloom = SlotBloom.on(pool);
    watched = open(WATCHED, Duration.ofSeconds(20));
    for (int i = 0; i < OTHERS; i++) {
      others.add(open(other(i), Duration.ofSeconds(60)));
    }
  }

  /** The names of the filters that only take threads away. */
  static String other(int number) {
    return "other_" + number;
  }

  static ThreadlessProcess start(String url, TestAccount account, Path log) throws IOException {
    return ThreadlessProcess.start(
        CrowdedProcess.class,
        log,
        Map.of(URL, url, USER, account.user(), PASSWORD, account.password()));
  }

  private BloomFilter<Long> open(String name, Duration timeout) {
    return bloom.open(name, KeyType.longs(), FilterOptions.defaults().timeout(timeout));
  }

  private String answer(String line) {
    String[] words = line.split(" ");
    long key = words.length > 1 ? Long.parseLong(words[1]) : 0;
    try {
      return switch (words[0]) {
        case "connections" -> Integer.toString(pool.getHikariPoolMXBean().getTotalConnections());
        case "borrowed" -> Integer.toString(pool.getHikariPoolMXBean().getActiveConnections());
        case "thread" -> startThread();
        case "add" -> watched.add(key) ? "new" : "seen";
        case "ask" -> Boolean.toString(watched.mightContain(key));
        case "occupy" -> occupy();
        case "settle" -> settle();
        case "others" -> addToOthers(key);
        case "fold" -> fold();
        default -> throw new IllegalArgumentException(line);
      };
    } catch (WriteFailedException e) {
      return e.outcome() + " " + e.getMessage();
    } catch (RuntimeException | OutOfMemoryError e) {
      return e.getClass().getSimpleName() + " " + e.getMessage();
    }
  }

  private static String startThread() {
    Thread thread = new Thread(() -> {}, "one more");
    try {
      thread.start();
      return "started";
    } catch (OutOfMemoryError e) {
      return e.getMessage();
    }
  }

  /** Lets the next filter, whose lock somebody holds, keep a thread busy. */
  private String occupy() {
    underWay.add(others.get(occupied % OTHERS).addAsync((long) occupied));
    return Integer.toString(++occupied);
  }

  /** Says how many of the adds that were begun so were recorded. */
  private String settle() {
    int recorded = 0;
    for (CompletableFuture<Boolean> add : underWay) {
      try {
        recorded += add.join() ? 1 : 0;
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof WriteFailedException failed)
            || failed.outcome() != Outcome.NOT_RECORDED) {
          return "an add failed otherwise: " + e.getCause();
        }
      }
    }
    return Integer.toString(recorded);
  }

  private String addToOthers(long key) {
    return others.stream().allMatch(filter -> filter.add(key) && filter.mightContain(key))
        ? "new"
        : "seen";
  }

  private String fold() {
    bloom.admin(watched.name()).fold();
    return "folded";
  }

  @Override
  public void close() {
    bloom.close();
    pool.close();
  }

  public static void main(String[] args) throws IOException {
    try (CrowdedProcess process = new CrowdedProcess();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("ready");
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(process.answer(line).replace('\n', ' '));
      }
    }
  }
}
