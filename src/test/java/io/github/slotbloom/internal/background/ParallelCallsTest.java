package io.github.slotbloom.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.internal.background.ParallelCalls.Outcome;
import io.github.slotbloom.testing.Calls;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ParallelCallsTest {

  private static List<Supplier<Integer>> numbers() {
    return List.of(() -> 0, () -> 1, () -> 2);
  }

  private static void assertAllMade(ParallelCalls parallel) {
    assertThat(parallel.all(numbers()).stream().map(Outcome::result)).containsExactly(0, 1, 2);
  }

  @Test
  void callsRunAtTheSameTime() {
    CyclicBarrier together = new CyclicBarrier(3);
    Supplier<Boolean> meet =
        () -> {
          try {
            together.await();
            return true;
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
          }
        };
    try (ParallelCalls parallel = new ParallelCalls()) {
      assertThat(parallel.all(List.of(meet, meet, meet)).stream().map(Outcome::result))
          .containsExactly(true, true, true);
    }
  }

  @Test
  void failuresStandInTheirPlaces() {
    IllegalStateException first = new IllegalStateException("first");
    StackOverflowError last = new StackOverflowError();
    List<Supplier<Integer>> calls =
        List.of(
            () -> {
              throw first;
            },
            () -> 1,
            () -> {
              throw last;
            });
    try (ParallelCalls parallel = new ParallelCalls()) {
      for (List<Outcome<Integer>> outcomes :
          List.of(parallel.all(calls), ParallelCalls.<Integer>inTurn(calls))) {
        assertThat(outcomes.get(0).failure()).isSameAs(first);
        assertThat(outcomes.get(1)).isEqualTo(new Outcome<>(1, null));
        assertThat(outcomes.get(2).failure()).isSameAs(last);
      }
    }
  }

  @Test
  void theCallerMakesCallsThatNoThreadBegan() {
    Queue<Runnable> never = new ArrayDeque<>();
    assertAllMade(new ParallelCalls(never::add));
    assertThat(never).hasSize(2);
    never.forEach(Runnable::run); // too late, so nothing is done twice
    assertAllMade(
        new ParallelCalls(
            work -> {
              throw new RejectedExecutionException();
            }));
    assertAllMade(new ParallelCalls(Runnable::run));
    ParallelCalls closed = new ParallelCalls();
    closed.close();
    assertAllMade(closed);
  }

  @Test
  void aCallIsMadeOnceAlthoughAnExecutorRunsItAndThrows() {
    AtomicInteger made = new AtomicInteger();
    Executor strange =
        work -> {
          work.run();
          throw new OutOfMemoryError();
        };
    Supplier<Integer> count = made::incrementAndGet;
    assertThat(new ParallelCalls(strange).all(List.of(count, count, count))).hasSize(3);
    assertThat(made).hasValue(3);
  }

  /** Each caller is on the only thread that the executor has. */
  @Test
  void callersOnTheThreadsOfTheExecutorDoNotWaitForEachOther() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      ParallelCalls parallel = new ParallelCalls(one);
      assertThat(one.submit(() -> parallel.all(numbers())).get().size()).isEqualTo(3);
    } finally {
      one.shutdown();
    }
  }

  @Test
  void anInterruptReachesTheThreadsThatHelp() throws Exception {
    CountDownLatch helping = new CountDownLatch(1);
    AtomicReference<Thread> helper = new AtomicReference<>();
    Supplier<String> waits =
        () -> {
          helper.set(Thread.currentThread());
          helping.countDown();
          try {
            new CountDownLatch(1).await();
            return "never";
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
          }
        };
    Supplier<String> awaitsHelper =
        () -> {
          try {
            helping.await();
            return "done";
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      ParallelCalls parallel = new ParallelCalls(threads);
      AtomicReference<Thread> caller = new AtomicReference<>();
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      CompletableFuture<List<Outcome<String>>> outcomes =
          Calls.inBackground(
              () -> {
                caller.set(Thread.currentThread());
                List<Outcome<String>> made = parallel.all(List.of(awaitsHelper, waits));
                interrupted.complete(Thread.currentThread().isInterrupted());
                return made;
              });
      helping.await();
      await()
          .until(
              () -> {
                caller.get().interrupt();
                return outcomes.isDone();
              });
      assertThat(outcomes.get().get(1).result()).isEqualTo("interrupted");
      assertThat(interrupted.get()).isTrue();
      assertThat(threads.submit(() -> Thread.currentThread().isInterrupted()).get()).isFalse();
      assertThat(helper.get()).isNotSameAs(caller.get());
    } finally {
      threads.shutdown();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** The caller is interrupted at about the moment at which the helper begins. */
  @Test
  void anInterruptReachesAThreadThatHasJustBegun() {
    Supplier<Boolean> endless =
        () -> {
          try {
            new CountDownLatch(1).await();
            return false;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
          }
        };
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      ParallelCalls parallel = new ParallelCalls(threads);
      for (int round = 0; round < 20_000; round++) {
        int spins = round % 1000;
        Supplier<Boolean> brief =
            () -> {
              for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
              }
              return true;
            };
        Thread.currentThread().interrupt();
        List<Outcome<Boolean>> outcomes = parallel.all(List.of(brief, endless));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcomes).extracting(Outcome::result).containsExactly(true, true);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
