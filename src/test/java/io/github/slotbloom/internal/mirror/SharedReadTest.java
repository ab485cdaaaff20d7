package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Runs the reads by hand, so that every interleaving is the test's own. */
@PossibleLog(KnownLogs.NOT_BEGUN)
class SharedReadTest {

  private final Deque<Runnable> executor = new ArrayDeque<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger rests = new AtomicInteger();

  @Test
  void callersThatWaitTogetherShareARead() {
    SharedRead read =
        new SharedRead(
            "a read",
            Backgrounds.on(executor::add),
            reads::incrementAndGet,
            rests::incrementAndGet);
    CompletableFuture<Void> first = read.join();
    CompletableFuture<Void> second = read.join();
    assertThat(executor).hasSize(1);
    executor.remove().run();
    assertThat(reads).hasValue(1);
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
  }

  @Test
  void callersThatComeDuringAReadWaitForTheNext() {
    Deque<CompletableFuture<Void>> late = new ArrayDeque<>();
    SharedRead[] read = new SharedRead[1];
    read[0] =
        new SharedRead(
            "a read",
            Backgrounds.on(executor::add),
            () -> {
              if (reads.incrementAndGet() == 1) {
                late.add(read[0].join());
              } else {
                assertThat(late.element()).isNotDone();
                assertThat(rests).as("kept for the read that follows").hasValue(0);
              }
            },
            rests::incrementAndGet);
    CompletableFuture<Void> early = read[0].join();
    executor.remove().run();
    assertThat(reads).hasValue(2);
    assertThat(early).isCompleted();
    assertThat(late.element()).isCompleted();
    assertThat(rests).hasPositiveValue();
    assertThat(executor).isEmpty();
  }

  @Test
  void callersGoOnOnceEverythingIsReleased() {
    Deque<String> order = new ArrayDeque<>();
    SharedRead read =
        new SharedRead(
            "a read",
            Backgrounds.on(executor::add),
            () -> order.add("read"),
            () -> order.add("released"));
    CompletableFuture<Void> caller = read.join().thenRun(() -> order.add("went on"));
    executor.remove().run();
    assertThat(caller).isCompleted();
    assertThat(order).startsWith("read", "released", "went on");
  }

  @Test
  void aFailureReachesOnlyItsOwnRound() {
    SharedRead read =
        new SharedRead(
            "a read",
            Backgrounds.on(executor::add),
            () -> {
              if (reads.incrementAndGet() == 1) {
                throw new IllegalStateException("the first one fails");
              }
            },
            rests::incrementAndGet);
    CompletableFuture<Void> failing = read.join();
    executor.remove().run();
    assertThat(failing).isCompletedExceptionally();
    assertThat(rests).hasPositiveValue();
    CompletableFuture<Void> next = read.join();
    executor.remove().run();
    assertThat(next).isCompletedWithValue(null);
  }

  @Test
  void callersDoNotWaitForARefusedRead() {
    AtomicInteger refused = new AtomicInteger();
    SharedRead read =
        new SharedRead(
            "a read",
            Backgrounds.on(
                task -> {
                  switch (refused.getAndIncrement()) {
                    case 0 -> throw new RejectedExecutionException("closed");
                    case 1 -> throw new OutOfMemoryError("unable to create native thread");
                    default -> executor.add(task);
                  }
                }),
            reads::incrementAndGet,
            rests::incrementAndGet);
    assertThat(read.join()).isCompletedExceptionally();
    assertThat(read.join()).isCompletedExceptionally();
    CompletableFuture<Void> accepted = read.join();
    executor.remove().run();
    assertThat(accepted).isCompletedWithValue(null);
  }
}
