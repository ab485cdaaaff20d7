package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * More filters, threads and keys than there are connections. The numbers can be raised by system
 * properties, {@code slotbloom.load.filters} and so on, for a longer run of the same.
 */
@DatabaseContract(onOne = true)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class LoadIT {

  private static final Use USE = Use.MIRRORED;

  private static final int FILTERS = Integer.getInteger("slotbloom.load.filters", 40);
  private static final int THREADS = Integer.getInteger("slotbloom.load.threads", 128);
  private static final int FEW_THREADS = Math.max(1, THREADS / 4);
  private static final int ROUNDS = Integer.getInteger("slotbloom.load.rounds", 3);
  private static final int MAKERS = 8;
  private static final long SEED = Long.getLong("slotbloom.load.seed", new Random().nextLong());
  private static final Duration PATIENCE =
      Duration.ofSeconds(Long.getLong("slotbloom.load.patience", 60));

  /** So few false positives that a test never meets one. */
  private static final FilterSpec<String> SMALL =
      FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(1e-9).build();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom usual;

  @BeforeDatabase
  static void makeFilters() throws InterruptedException {
    System.out.println("LoadIT with -Dslotbloom.load.seed=" + SEED);
    FilterOptions withoutMirror = FilterOptions.defaults().withoutMirror();
    Crowd.of(
            MAKERS,
            number -> {
              for (int i = number; i < FILTERS; i += MAKERS) {
                usual.reserve("many_" + i, SMALL, withoutMirror).close();
              }
            })
        .join(PATIENCE.multipliedBy(2));
  }

  private static List<BloomFilter<String>> openMany(SlotBloom bloom) {
    FilterOptions mirrored = FilterOptions.defaults();
    FilterOptions direct = mirrored.withoutMirror();
    return IntStream.range(0, FILTERS)
        .mapToObj(i -> bloom.open("many_" + i, SMALL, i % 2 == 0 ? mirrored : direct))
        .toList();
  }

  private static long threadsOf(String kind) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("slotbloom-" + kind))
        .count();
  }

  private static void assertAllGivenBack(HikariDataSource pool) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero());
  }

  private static boolean isHeartbeat(String text) {
    return text.matches("(?s)select .* join `bloom_fold` .* where `bloom_filter`.`id` in \\(.*");
  }

  @Test
  void manyFiltersAndThreadsShareASingleConnection() throws Exception {
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    RecordedSql sent = new RecordedSql(pool);
    try (SlotBloom bloom = SlotBloom.on(sent.dataSource())) {
      List<BloomFilter<String>> filters = openMany(bloom);
      LongAdder[] added =
          IntStream.range(0, FILTERS).mapToObj(i -> new LongAdder()).toArray(LongAdder[]::new);
      Crowd.of(
              FEW_THREADS,
              number -> {
                Random random = new Random(SEED + number);
                for (int i = 0; i < ROUNDS; i++) {
                  int f = random.nextInt(FILTERS);
                  String key = "one connection " + number + " " + i;
                  assertThat(filters.get(f).add(key)).isTrue();
                  added[f].increment();
                  assertThat(filters.get(f).mightContain(key)).isTrue();
                  assertThat(filters.get(f).mightContain(key + " never")).isFalse();
                  if (random.nextInt(4) == 0) {
                    bloom.admin(filters.get(f).name()).fold();
                  }
                }
              })
          .join(PATIENCE);
      for (int f = 0; f < FILTERS; f++) {
        assertThat(bloom.info(filters.get(f).name()).keysAdded()).isEqualTo(added[f].sum());
      }
      sent.clear();
      await()
          .atMost(PATIENCE)
          .until(() -> sent.texts().stream().filter(LoadIT::isHeartbeat).count() >= 3);
      assertThat(sent.texts())
          .filteredOn(LoadIT::isHeartbeat)
          .as("one for all filters")
          .allMatch(text -> text.chars().filter(c -> c == '?').count() == FILTERS);
    }
    assertAllGivenBack(pool);
  }

  @Test
  void oneOfManyThreadsWinsEachKeyAndNoneIsLost() throws Exception {
    String name = "crowded_" + USE.filterName();
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(4));
    Map<String, AtomicInteger> winners = new ConcurrentHashMap<>();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = USE.reserve(bloom, name);
      Crowd.of(
              THREADS,
              number -> {
                Random random = new Random(SEED + number);
                for (int i = 0; i < ROUNDS; i++) {
                  List<String> keys =
                      random.ints(6, 0, 4 * THREADS).mapToObj(k -> "key " + k).toList();
                  boolean[] fresh = addSomehow(filter, keys, i);
                  for (int k = 0; k < fresh.length; k++) {
                    winners
                        .computeIfAbsent(keys.get(k), key -> new AtomicInteger())
                        .addAndGet(fresh[k] ? 1 : 0);
                  }
                  assertThat(filter.mightContainEach(keys.subList(0, fresh.length)))
                      .containsOnly(true);
                }
              })
          .join(PATIENCE);
      assertThat(winners.values()).extracting(AtomicInteger::get).containsOnly(1);
      assertThat(usual.info(filter.name()).keysAdded()).isEqualTo(winners.size());
    }
    List<String> keys = List.copyOf(winners.keySet());
    assertThat(usual.open(name, KeyType.text()).mightContainEach(keys)).containsOnly(true);
    assertAllGivenBack(pool);
  }

  private static boolean[] addSomehow(BloomFilter<String> filter, List<String> keys, int how)
      throws Exception {
    return switch (how % 3) {
      case 0 -> filter.addEach(keys);
      case 1 -> new boolean[] {filter.add(keys.get(0))};
      default -> {
        CompletableFuture<Boolean> answer = filter.addAsync(keys.get(0));
        yield new boolean[] {answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)};
      }
    };
  }

  /** What became of each key that a crowd added. */
  private static final class Fates {
    final Set<String> told = ConcurrentHashMap.newKeySet();
    final Set<String> unknown = ConcurrentHashMap.newKeySet();
    final Set<String> notRecorded = ConcurrentHashMap.newKeySet();
    final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

    void failed(List<String> keys, Throwable failure) {
      if (failure instanceof WriteFailedException e && e.outcome() == Outcome.UNKNOWN) {
        unknown.addAll(keys);
      } else if (failure instanceof WriteFailedException
          || failure instanceof FilterClosedException) {
        notRecorded.addAll(keys);
      } else {
        unexpected.add(failure);
      }
    }

    void assertTrueOf(BloomFilter<String> filter) {
      assertThat(unexpected).isEmpty();
      assertThat(filter.mightContainEach(List.copyOf(told))).doesNotContain(false);
      assertThat(filter.mightContainEach(List.copyOf(notRecorded))).doesNotContain(true);
      assertThat(usual.info(filter.name()).keysAdded())
          .isBetween((long) told.size(), (long) told.size() + unknown.size());
    }
  }

  @ParameterizedTest
  @CsvSource({"MIRRORED, false", "DIRECT, true"})
  void callsDuringACloseGetATruthfulAnswer(Use use, boolean everything) throws Exception {
    String name = "closed_" + use.filterName() + "_" + everything;
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(2));
    SlotBloom bloom = SlotBloom.on(pool);
    BloomFilter<String> filter = use.reserve(bloom, name);
    Fates fates = new Fates();
    LongAdder answers = new LongAdder();
    Crowd crowd =
        Crowd.of(FEW_THREADS, number -> useUntilClosed(filter, "thread " + number, fates, answers));
    await().atMost(PATIENCE).until(() -> answers.sum() >= 20L * FEW_THREADS);
    if (everything) {
      bloom.close();
    } else {
      filter.close();
    }
    crowd.join(PATIENCE);
    bloom.close();
    assertThat(fates.told).isNotEmpty();
    fates.assertTrueOf(usual.open(name, KeyType.text()));
    assertAllGivenBack(pool);
  }

  private static void useUntilClosed(
      BloomFilter<String> filter, String prefix, Fates fates, LongAdder answers) throws Exception {
    Map<String, CompletableFuture<Boolean>> async = new ConcurrentHashMap<>();
    boolean open = true;
    for (int i = 0; open; i++) {
      List<String> keys = List.of(prefix + " " + i, prefix + " " + i + " too");
      try {
        switch (i % 4) {
          case 0 -> {
            assertThat(filter.addEach(keys)).containsOnly(true);
            fates.told.addAll(keys);
          }
          case 1 -> {
            assertThat(filter.add(keys.get(0))).isTrue();
            fates.told.add(keys.get(0));
          }
          case 2 -> async.put(keys.get(0), filter.addAsync(keys.get(0)));
          default -> assertThat(filter.mightContain(keys.get(0))).isFalse();
        }
        answers.increment();
      } catch (FilterClosedException e) {
        fates.failed(keys, e);
        open = false;
      } catch (RuntimeException e) {
        fates.failed(keys, e);
      }
    }
    for (Map.Entry<String, CompletableFuture<Boolean>> added : async.entrySet()) {
      try {
        assertThat(added.getValue().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        fates.told.add(added.getKey());
      } catch (ExecutionException e) {
        fates.failed(List.of(added.getKey()), e.getCause());
      }
    }
  }

  /** Callers give up long before what they began does. */
  @Test
  void abandonedLookupsDoNotPileUp() throws Exception {
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setConnectionTimeout(PATIENCE.toMillis());
            });
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter =
          bloom.open(
              "many_0",
              SMALL,
              FilterOptions.defaults().withoutMirror().timeout(Duration.ofMillis(20)));
      long threadsBefore = threadsOf("io-");
      LongAdder unanswered = new LongAdder();
      try (Connection taken = pool.getConnection()) {
        assertThat(taken.isValid(1)).isTrue();
        Crowd.of(
                FEW_THREADS,
                number -> {
                  for (int i = 0; i < ROUNDS; i++) {
                    try {
                      filter.mightContain("key");
                    } catch (FilterUnavailableException e) {
                      unanswered.increment();
                    }
                  }
                })
            .join(PATIENCE);
        assertThat(unanswered.sum()).isEqualTo((long) FEW_THREADS * ROUNDS);
        assertThat(threadsOf("io-") - threadsBefore).isLessThan(100);
      }
      await().atMost(PATIENCE).ignoreExceptions().until(() -> !filter.mightContain("key"));
    }
    assertAllGivenBack(pool);
  }
}
