package io.github.slotbloom.internal.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RefusingThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the work by hand where order matters, so that every interleaving is the test's own. */
@Timeout(180)
@PossibleLog(KnownLogs.NOT_BEGUN)
@PossibleLog(KnownLogs.WORK_FAILED)
class BackgroundTaskTest {

  private final Deque<Runnable> executor = new ArrayDeque<>();
  private final AtomicInteger runs = new AtomicInteger();
  private final List<NotStartedException> told = new ArrayList<>();

  private BackgroundTask task(Background background, Runnable work) {
    return new BackgroundTask("the work", background, work, told::add);
  }

  @Test
  void requestsDuringARunCauseOneMoreRun() {
    BackgroundTask[] task = new BackgroundTask[1];
    task[0] =
        task(
            Backgrounds.on(executor::add),
            () -> {
              if (runs.incrementAndGet() == 1) {
                task[0].request();
                task[0].request();
                task[0].requestUnlessRunning();
              }
            });
    task[0].request();
    task[0].request();
    assertThat(executor).hasSize(1);
    executor.remove().run();
    // Once for the second request before the run and those in it.
    assertThat(runs).hasValue(2);
    assertThat(executor).isEmpty();
    task[0].requestUnlessRunning();
    executor.remove().run();
    assertThat(runs).hasValue(3);
  }

  @ParameterizedTest
  @EnumSource(RefusingThreads.Reason.class)
  void aRequestAfterAFailedHandOverStartsTheTask(RefusingThreads.Reason reason) {
    AtomicBoolean refuses = new AtomicBoolean(true);
    BackgroundTask task =
        task(
            Backgrounds.on(
                work -> {
                  if (refuses.get()) {
                    reason.fail();
                  }
                  executor.add(work);
                }),
            runs::incrementAndGet);
    task.request();
    task.requestUnlessRunning();
    assertThat(told).hasSize(2);
    assertThat(told.get(0)).hasMessageContaining("no thread could be started");
    assertThat(told.get(0).closed()).isEqualTo(reason == RefusingThreads.Reason.REJECTS);
    refuses.set(false);
    task.request();
    executor.remove().run();
    assertThat(runs).hasValue(1);
    assertThat(told).hasSize(2);
  }

  @Test
  void aTaskThatAnExecutorKeptAndRefusedNeverRuns() {
    AtomicBoolean throwing = new AtomicBoolean(true);
    BackgroundTask task =
        task(
            Backgrounds.on(
                work -> {
                  executor.add(work);
                  if (throwing.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                }),
            runs::incrementAndGet);
    task.request();
    assertThat(told).hasSize(1);
    throwing.set(false);
    task.request();
    assertThat(executor).hasSize(2);
    executor.forEach(Runnable::run);
    assertThat(runs).hasValue(1);
  }

  @Test
  void aTaskThatAnExecutorRanBeforeItThrewCountsAsRun() {
    BackgroundTask task =
        task(
            Backgrounds.on(
                work -> {
                  work.run();
                  throw new IllegalStateException("afterwards");
                }),
            runs::incrementAndGet);
    task.request();
    task.request();
    assertThat(runs).hasValue(2);
    assertThat(told).isEmpty();
  }

  @Test
  void aTaskThatThrewRunsAgain() {
    BackgroundTask task =
        task(
            Backgrounds.inPlace(),
            () -> {
              if (runs.incrementAndGet() == 1) {
                throw new StackOverflowError("once");
              }
            });
    task.request();
    task.request();
    assertThat(runs).hasValue(2);
  }

  @Test
  void aDelayedRequestRunsOnceAndCanBeMadeAgain() {
    BackgroundTask task = task(Backgrounds.inPlace(), runs::incrementAndGet);
    task.requestIn(Duration.ofMillis(50).toNanos());
    task.requestIn(1);
    await().until(() -> runs.get() == 1);
    task.requestIn(1);
    await().until(() -> runs.get() == 2);
  }

  @Test
  void aRefusedDelayedRequestIsToldAndCanBeMadeAgain() {
    AtomicBoolean refuses = new AtomicBoolean(true);
    AtomicInteger refused = new AtomicInteger();
    BackgroundTask task =
        new BackgroundTask(
            "the work",
            Backgrounds.on(
                work -> {
                  if (refuses.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  work.run();
                }),
            runs::incrementAndGet,
            e -> refused.incrementAndGet());
    task.requestIn(1);
    await().until(() -> refused.get() == 1);
    refuses.set(false);
    task.requestIn(1);
    await().until(() -> runs.get() == 1);
  }

  /** Whoever puts something down and asks finds it taken, or hears that nobody comes. */
  @Test
  void noRequestIsLostWhileHandOversFail() throws Exception {
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger given = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    try (RefusingThreads threads = new RefusingThreads()) {
      threads.refuseEvery(2, RefusingThreads.Reason.THROWS_AN_ERROR);
      BackgroundTask task =
          new BackgroundTask(
              "the work",
              Backgrounds.on(threads),
              () -> taken.addAndGet(waiting.getAndSet(0)),
              e -> given.addAndGet(waiting.getAndSet(0)));
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int caller = 0; caller < 4; caller++) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        callers.add(done);
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < 1_000; i++) {
                    waiting.incrementAndGet();
                    task.request();
                    while (waiting.get() > 0 && !over.get()) {
                      Thread.yield();
                    }
                  }
                  done.complete(null);
                });
        thread.start();
      }
      // A join cannot be interrupted: a request that is lost would hold up the build for good.
      CompletableFuture.allOf(callers.toArray(CompletableFuture<?>[]::new))
          .get(60, TimeUnit.SECONDS);
      await().until(() -> taken.get() + given.get() == 4_000);
      assertThat(waiting).hasValue(0);
      assertThat(given).hasPositiveValue();
      assertThat(taken).hasPositiveValue();
    } finally {
      over.set(true);
    }
  }
}
