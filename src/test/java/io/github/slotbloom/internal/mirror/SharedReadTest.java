package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Runs the reads by hand, so that every interleaving is the test's own. */
@PossibleLog(KnownLogs.NOT_BEGUN)
class SharedReadTest {

  private final Deque<Runnable> executor = new ArrayDeque<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger rests = new AtomicInteger();

  private SharedRead<String> read(Runnable read, Runnable rest) {
    return read(executor::add, read, rest);
  }

  private static SharedRead<String> read(Executor executor, Runnable read, Runnable rest) {
    return new SharedRead<>(
        "a read",
        Backgrounds.on(executor),
        wanted -> {
          read.run();
          return each -> CompletableFuture.completedFuture(null);
        },
        rest);
  }

  @Test
  void callersThatWaitTogetherShareARead() {
    SharedRead<String> read = read(reads::incrementAndGet, rests::incrementAndGet);
    CompletableFuture<Void> first = read.join("all");
    CompletableFuture<Void> second = read.join("all");
    assertThat(executor).hasSize(1);
    executor.remove().run();
    assertThat(reads).hasValue(1);
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
  }

  @Test
  void callersThatComeDuringAReadWaitForTheNext() {
    Deque<CompletableFuture<Void>> late = new ArrayDeque<>();
    AtomicReference<SharedRead<String>> read = new AtomicReference<>();
    read.set(
        read(
            () -> {
              if (reads.incrementAndGet() == 1) {
                late.add(read.get().join("all"));
              } else {
                assertThat(late.element()).isNotDone();
                assertThat(rests).as("kept for the read that follows").hasValue(0);
              }
            },
            rests::incrementAndGet));
    CompletableFuture<Void> early = read.get().join("all");
    executor.remove().run();
    assertThat(reads).hasValue(2);
    assertThat(early).isCompleted();
    assertThat(late.element()).isCompleted();
    assertThat(rests).hasPositiveValue();
    assertThat(executor).isEmpty();
  }

  @Test
  void oneReadServesAllThatIsWanted() {
    CompletableFuture<Void> more = new CompletableFuture<>();
    List<Set<String>> read = new ArrayList<>();
    SharedRead<String> shared =
        new SharedRead<>(
            "a read",
            Backgrounds.on(executor::add),
            wanted -> {
              read.add(wanted);
              return each ->
                  each.equals("changed") ? more : CompletableFuture.completedFuture(null);
            },
            rests::incrementAndGet);
    CompletableFuture<Void> same = shared.join("same");
    CompletableFuture<Void> changed = shared.join("changed");
    assertThat(shared.join("same")).isSameAs(same);
    executor.remove().run();
    assertThat(read).containsExactly(Set.of("same", "changed"));
    assertThat(same).isCompletedWithValue(null);
    assertThat(changed).isNotDone();
    more.completeExceptionally(new IllegalStateException("what it needs besides fails"));
    assertThat(changed).isCompletedExceptionally();
    assertThat(executor).isEmpty();
  }

  @Test
  void callersGoOnOnceEverythingIsReleased() {
    Deque<String> order = new ArrayDeque<>();
    SharedRead<String> read = read(() -> order.add("read"), () -> order.add("released"));
    CompletableFuture<Void> caller = read.join("all").thenRun(() -> order.add("went on"));
    executor.remove().run();
    assertThat(caller).isCompleted();
    assertThat(order).startsWith("read", "released", "went on");
  }

  @Test
  void aFailureReachesOnlyItsOwnRound() {
    SharedRead<String> read =
        read(
            () -> {
              if (reads.incrementAndGet() == 1) {
                throw new IllegalStateException("the first one fails");
              }
            },
            rests::incrementAndGet);
    CompletableFuture<Void> failing = read.join("all");
    executor.remove().run();
    assertThat(failing).isCompletedExceptionally();
    assertThat(rests).hasPositiveValue();
    CompletableFuture<Void> next = read.join("all");
    executor.remove().run();
    assertThat(next).isCompletedWithValue(null);
  }

  @Test
  void callersDoNotWaitForARefusedRead() {
    AtomicInteger refused = new AtomicInteger();
    SharedRead<String> read =
        read(
            task -> {
              switch (refused.getAndIncrement()) {
                case 0 -> throw new RejectedExecutionException("closed");
                case 1 -> throw new OutOfMemoryError("unable to create native thread");
                default -> executor.add(task);
              }
            },
            reads::incrementAndGet,
            rests::incrementAndGet);
    assertThat(read.join("all")).isCompletedExceptionally();
    assertThat(read.join("all")).isCompletedExceptionally();
    CompletableFuture<Void> accepted = read.join("all");
    executor.remove().run();
    assertThat(accepted).isCompletedWithValue(null);
  }
}
