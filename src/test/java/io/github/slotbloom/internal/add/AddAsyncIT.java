package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Adds that nobody waits for. */
@DatabaseContract(migrated = true, onOne = true)
@Timeout(180)
@PossibleLog(KnownLogs.CALLBACKS_REFUSED)
class AddAsyncIT {

  private static final String CALLBACKS = "callbacks-of-the-test";

  @Fixture private static TestSchema schema;
  private static ExecutorService callbacks;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void open() {
    callbacks = Executors.newFixedThreadPool(2, work -> new Thread(work, CALLBACKS));
    bloom =
        SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(3)))
            .callbackExecutor(callbacks)
            .build();
  }

  @AfterDatabase
  static void close() {
    bloom.close();
    callbacks.shutdown();
  }

  private static BloomFilter<String> filter(String name) {
    return bloom.reserve(name, Use.MIRRORED.spec(KeyType.text()));
  }

  @Test
  void continuationsRunOnTheCallbackExecutor() throws Exception {
    BloomFilter<String> filter = filter("threads");
    List<CompletableFuture<String>> threads;
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf("threads", lock);
      threads =
          IntStream.range(0, 100)
              .mapToObj(i -> filter.addAsync("key " + i))
              .map(added -> added.thenApply(isNew -> Thread.currentThread().getName()))
              .toList();
      lock.commit();
    }
    for (CompletableFuture<String> thread : threads) {
      assertThat(thread.get(60, TimeUnit.SECONDS)).isEqualTo(CALLBACKS);
    }
  }

  @Test
  void aContinuationThatBlocksDoesNotStopTheWriter() throws Exception {
    BloomFilter<String> filter = filter("blocking");
    CountDownLatch release = new CountDownLatch(1);
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf("blocking", lock);
      CompletableFuture<Void> blocked =
          filter.addAsync("first").thenAccept(isNew -> awaitUninterruptibly(release));
      lock.commit();
      assertThat(filter.add("second")).isTrue();
      assertThat(filter.addAsync("third").get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(blocked).isNotDone();
    } finally {
      release.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aContinuationMayUseTheFilter() throws Exception {
    BloomFilter<String> filter = filter("nested");
    assertThat(
            filter
                .addAsync("outer")
                .thenApply(isNew -> filter.add("inner") && filter.mightContain("outer"))
                .get(60, TimeUnit.SECONDS))
        .isTrue();
  }

  private static final ExecutorService ELSEWHERE =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "elsewhere");
            thread.setDaemon(true);
            return thread;
          });

  /** What an application may bring along as its executor. */
  enum Unfit {
    REJECTS(
        completion -> {
          throw new RejectedExecutionException("full");
        }),
    THROWS_AN_ERROR(
        completion -> {
          throw new OutOfMemoryError("unable to create native thread");
        }),
    RUNS_IT_AND_THROWS(
        completion -> {
          ELSEWHERE.execute(completion);
          throw new IllegalStateException("broken");
        }),
    RUNS_IT_IN_PLACE(Runnable::run),
    DROPS(completion -> {});

    final Executor executor;

    Unfit(Executor executor) {
      this.executor = executor;
    }
  }

  @ParameterizedTest
  @EnumSource(Unfit.class)
  void answersArriveDespiteAFailingCallbackExecutor(Unfit unfit) throws Exception {
    String name = "unfit_" + unfit.name().toLowerCase(Locale.ROOT);
    bloom.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
    try (SlotBloom other =
            SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(3)))
                .callbackExecutor(unfit.executor)
                .build();
        BloomFilter<String> filter = Use.MIRRORED.open(other, name, Duration.ofSeconds(5))) {
      AtomicInteger told = new AtomicInteger();
      List<CompletableFuture<String>> threads = new ArrayList<>();
      try (Connection lock = schema.dataSource().getConnection()) {
        ByHand.holdingLockOf(name, lock);
        for (int i = 0; i < 20; i++) {
          threads.add(
              filter
                  .addAsync("key " + i % 10)
                  .thenApply(
                      isNew -> {
                        told.addAndGet(isNew ? 1 : 0);
                        return Thread.currentThread().getName();
                      }));
        }
        lock.commit();
      }
      for (CompletableFuture<String> thread : threads) {
        assertThat(thread.get(60, TimeUnit.SECONDS)).matches("slotbloom-callback-\\d+|elsewhere");
      }
      assertThat(told).hasValue(10);
      assertThat(filter.add("after")).isTrue();
    }
  }

  @Test
  void closingCompletesAnswersThatTheCallbackExecutorDropped() throws Exception {
    bloom.reserve("dropped", Use.MIRRORED.spec(KeyType.text())).close();
    CompletableFuture<Boolean> added;
    try (SlotBloom other =
        SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(3)))
            .callbackExecutor(completion -> {})
            .build()) {
      added = other.open("dropped", KeyType.text()).addAsync("key");
    }
    assertThat(added.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closingTheFilterWaitsForQueuedKeys() {
    BloomFilter<String> filter = filter("drained");
    List<CompletableFuture<Boolean>> answers =
        IntStream.range(0, 5000).mapToObj(i -> filter.addAsync("key " + i)).toList();
    filter.close();
    assertThat(bloom.info("drained").keysAdded()).isEqualTo(5000);
    assertThat(answers).allMatch(CompletableFuture::join);
  }
}
