package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RefusingThreads.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of adds whose writer cannot begin, begins too late, or ends in the middle of it. */
@Timeout(180)
@PossibleLog(KnownLogs.NOT_BEGUN)
@PossibleLog(KnownLogs.WORK_FAILED)
class WriteQueueTest implements WriteQueue.Writer {

  private final Deque<Runnable> executor = new ArrayDeque<>();
  private final List<Long> written = new ArrayList<>();
  private final List<PendingWrite> comingMeanwhile = new ArrayList<>();
  private Reason refusal;
  private Error whileWriting;
  private Error whileResting;
  private int rests;

  private final WriteQueue queue =
      new WriteQueue(new FilterName("words"), 100, 10, this, Backgrounds.on(this::execute));

  private void execute(Runnable work) {
    // Between the first caller's decision to start a writer and the answer to that.
    List<PendingWrite> coming = List.copyOf(comingMeanwhile);
    comingMeanwhile.clear();
    coming.forEach(this::put);
    if (refusal != null) {
      refusal.fail();
    }
    executor.add(work);
  }

  @Override
  public void write(List<PendingWrite> batch) {
    for (PendingWrite pending : batch) {
      if (whileWriting != null && pending.hashes[0] == 3) {
        throw whileWriting;
      }
      assertThat(pending.take()).isTrue();
      if (whileWriting != null && pending.hashes[0] == 2) {
        continue;
      }
      written.add(pending.hashes[0]);
      pending.answers.complete(new boolean[] {true});
    }
  }

  @Override
  public @Nullable Trouble trouble() {
    return null;
  }

  @Override
  public void rest() {
    rests++;
    if (whileResting != null) {
      throw whileResting;
    }
  }

  private static PendingWrite pending(long hash) {
    return new PendingWrite(
        PendingWrite.Kind.ADD,
        new long[] {hash},
        Deadline.in(TimeSource.SYSTEM, Duration.ofSeconds(30)));
  }

  private PendingWrite put(PendingWrite pending) {
    try {
      queue.put(pending, false);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return pending;
  }

  private static Throwable failure(PendingWrite pending) {
    assertThat(pending.answers).isCompletedExceptionally();
    return pending
        .answers
        .handle((answers, e) -> e instanceof CompletionException c ? c.getCause() : e)
        .join();
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void keysThatWaitForAWriterThatCannotStartAreNotRecorded(Reason reason) {
    refusal = reason;
    PendingWrite second = pending(2);
    comingMeanwhile.add(second);
    PendingWrite first = put(pending(1));
    for (PendingWrite pending : List.of(first, second)) {
      if (reason == Reason.REJECTS) {
        assertThat(failure(pending)).isInstanceOf(FilterClosedException.class);
      } else {
        assertThat(failure(pending))
            .hasMessageStartingWith("Could not add to filter words: no thread could be started (")
            .hasMessageContainingAll(
                "by the test): raise the thread limit", "None of these keys was recorded.")
            .asInstanceOf(InstanceOfAssertFactories.type(WriteFailedException.class))
            .returns(Outcome.NOT_RECORDED, WriteFailedException::outcome);
      }
      assertThat(pending.take()).as("may still be written").isFalse();
    }
    refusal = null;
    PendingWrite third = put(pending(3));
    PendingWrite fourth = put(pending(4));
    executor.remove().run();
    assertThat(executor).isEmpty();
    assertThat(written).containsExactly(3L, 4L);
    assertThat(third.answers).isCompleted();
    assertThat(fourth.answers).isCompleted();
  }

  @Test
  @Timeout(45)
  void theQueueClosesAtOnceIfNoWriterCouldStart() {
    refusal = Reason.THROWS_AN_ERROR;
    put(pending(1));
    queue.close(Deadline.in(TimeSource.SYSTEM, Duration.ofSeconds(30)));
  }

  @Test
  void keysStillQueuedAfterTheTimeToCloseAreNotRecorded() {
    PendingWrite late = put(pending(1));
    queue.close(Deadline.in(TimeSource.SYSTEM, Duration.ZERO));
    assertThat(failure(late))
        .hasMessageContaining("the filter was closed before their turn came")
        .asInstanceOf(InstanceOfAssertFactories.type(WriteFailedException.class))
        .returns(Outcome.NOT_RECORDED, WriteFailedException::outcome);
    executor.remove().run();
    assertThat(written).isEmpty();
  }

  @Test
  void aWriterThatThrowsFailsItsBatchOnly() {
    whileWriting = new StackOverflowError("by the test");
    PendingWrite first = put(pending(1));
    PendingWrite second = put(pending(2));
    PendingWrite third = put(pending(3));
    executor.remove().run();
    assertThat(first.answers).isCompleted();
    assertThat(failure(second))
        .asInstanceOf(InstanceOfAssertFactories.type(WriteFailedException.class))
        .returns(Outcome.UNKNOWN, WriteFailedException::outcome);
    // It was not taken yet.
    assertThat(failure(third))
        .asInstanceOf(InstanceOfAssertFactories.type(WriteFailedException.class))
        .returns(Outcome.NOT_RECORDED, WriteFailedException::outcome);
    put(pending(4));
    executor.remove().run();
    assertThat(written).containsExactly(1L, 4L);
    assertThat(rests).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aWriterThatCannotPauseIsFollowedByAnother() throws Exception {
    whileResting = new OutOfMemoryError("by the test");
    put(pending(1));
    executor.remove().run();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(
            () -> {
              put(pending(4));
              executor.remove().run();
            });
    closed.join();
    assertThat(written).containsExactly(1L, 4L);
    queue.close(Deadline.in(TimeSource.SYSTEM, Duration.ofSeconds(30)));
    assertThat(rests).isEqualTo(2);
  }

  @Test
  void anAddAbandonedBeforeTheWriterTakesItWritesNothing() {
    PendingWrite pending = pending(1);
    assertThat(pending.abandon()).isTrue();
    assertThat(pending.abandon()).isTrue();
    assertThat(pending.take()).isFalse();
    assertThat(pending.isAbandoned()).isTrue();
  }

  @Test
  void anAddAbandonedLaterHasAnUnknownOutcome() {
    PendingWrite pending = pending(1);
    assertThat(pending.take()).isTrue();
    assertThat(pending.take()).isTrue();
    assertThat(pending.abandon()).isFalse();
    assertThat(pending.abandon()).isFalse();
    assertThat(pending.isAbandoned()).isTrue();
    assertThat(pending.take()).isFalse();
  }
}
