package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues adds and removals until they are written. Each time the writer comes back, everything that
 * waits becomes its next batch, so callers share transactions without deliberate delays. One writer
 * works at a time, and it stops soon after the queue is empty. Thread-safe.
 */
public final class WriteQueue {

  /** Writes what is queued. One thread at a time calls it. */
  interface Writer {
    /** Writes a batch, and completes each of its parts. */
    void write(List<PendingWrite> batch);

    /** Called when nothing is left to be written for now. */
    void rest();

    /** Returns why nothing is written at the moment; null if all goes well. */
    @Nullable Trouble trouble();
  }

  /**
   * The time that the writer waits for more before it rests. A caller that adds keys one by one is
   * back soon.
   */
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);

  private final FilterName filter;
  private final int capacity;
  private final int mostKeysPerBatch;
  private final Writer writer;
  private final BackgroundTask task;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Condition arrived = lock.newCondition();
  private final Deque<PendingWrite> queue = new ArrayDeque<>();
  private List<PendingWrite> written = List.of();
  private int queuedKeys;
  private boolean writing;
  private boolean closed;

  public WriteQueue(
      FilterName filter, int capacity, int mostKeysPerBatch, Writer writer, Background background) {
    this.filter = filter;
    this.capacity = capacity;
    this.mostKeysPerBatch = mostKeysPerBatch;
    this.writer = writer;
    this.task =
        new BackgroundTask("writing to filter " + filter, background, this::writeAll, this::refuse);
  }

  /**
   * Puts keys into the queue. If no thread can be had to write them, they fail by their future,
   * together with all others that wait.
   *
   * @param wait if true, waits for room until the deadline
   * @throws io.github.slotbloom.error.WriteFailedException if there is no room
   * @throws FilterClosedException if the queue was closed
   */
  public void put(PendingWrite pending, boolean wait) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && queuedKeys + pending.hashes.length > capacity) {
        long remaining = wait ? pending.deadline.remainingNanos() : 0;
        if (remaining <= 0) {
          throw WriteFailures.queueFull(filter, pending.kind, queuedKeys, capacity);
        }
        changed.await(remaining, TimeUnit.NANOSECONDS);
      }
      if (closed) {
        throw Failures.closed(filter);
      }
      queue.add(pending);
      queuedKeys += pending.hashes.length;
      arrived.signal();
    } finally {
      lock.unlock();
    }
    task.request();
  }

  /** Fails all that wait, because no writer will come. None of them was taken. */
  private void refuse(NotStartedException reason) {
    List<PendingWrite> refused = new ArrayList<>();
    lock.lock();
    try {
      while (!queue.isEmpty()) {
        refused.add(removeFirst());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    for (PendingWrite pending : refused) {
      fail(pending, reason);
    }
  }

  private void fail(PendingWrite pending, Throwable reason) {
    Outcome outcome = pending.abandon() ? Outcome.NOT_RECORDED : Outcome.UNKNOWN;
    pending.answers.completeExceptionally(
        reason instanceof NotStartedException e && e.closed()
            ? Failures.closed(filter)
            : WriteFailures.of(filter, pending, outcome, reason));
  }

  private void writeAll() {
    try {
      List<PendingWrite> batch = take();
      while (!batch.isEmpty()) {
        write(batch);
        awaitMore(batch.get(0).deadline.time());
        batch = take();
      }
    } catch (Throwable e) {
      // Adds that still wait must get a writer in any case.
      task.request();
      throw e;
    } finally {
      rest();
    }
  }

  private void write(List<PendingWrite> batch) {
    try {
      writer.write(batch);
    } catch (Throwable e) {
      batch.forEach(pending -> fail(pending, e));
      log.error("writing to filter {} failed", filter, e);
    }
  }

  /** Lets the writer rest. No matter what it throws, {@link #close} learns that it rests. */
  private void rest() {
    try {
      writer.rest();
    } finally {
      lock.lock();
      try {
        written = List.of();
        writing = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void awaitMore(TimeSource time) {
    lock.lock();
    try {
      written = List.of();
      long left = LINGER_NANOS;
      while (queue.isEmpty() && !closed && left > 0) {
        left = time.linger(arrived, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes what waits, if anything, up to a call that removes a key which another one adds, or the
   * other way round.
   */
  private List<PendingWrite> take() {
    lock.lock();
    try {
      List<PendingWrite> batch = new ArrayList<>();
      KindOfEach kinds = new KindOfEach();
      int keys = 0;
      for (PendingWrite pending : queue) {
        boolean fits = batch.isEmpty() || keys + pending.hashes.length <= mostKeysPerBatch;
        if (!fits || !kinds.admits(batch, pending)) {
          break;
        }
        batch.add(pending);
        keys += pending.hashes.length;
      }
      // Removed only now, so that no add is lost if memory does not suffice for the batch.
      batch.forEach(taken -> removeFirst());
      written = batch;
      writing |= !batch.isEmpty();
      changed.signalAll();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of keys that no transaction has taken yet. */
  public int queuedKeys() {
    lock.lock();
    try {
      return queuedKeys;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns true if keys are to be removed by a call that is not over. Whoever asks afterward
   * whether a key is there may see it as it was before that call.
   */
  public boolean removes() {
    lock.lock();
    try {
      return queue.stream().anyMatch(pending -> pending.kind == PendingWrite.Kind.REMOVE)
          || written.stream().anyMatch(pending -> pending.kind == PendingWrite.Kind.REMOVE);
    } finally {
      lock.unlock();
    }
  }

  /** Gives a call up whose time has run out, and returns the exception that tells its caller. */
  public WriteFailedException timedOut(PendingWrite pending) {
    remove(pending);
    Trouble trouble = writer.trouble();
    return WriteFailures.timedOut(filter, pending, pending.abandon(), trouble);
  }

  /** Gives back the place of a call that nobody waits for anymore. */
  public void remove(PendingWrite pending) {
    lock.lock();
    try {
      if (queue.remove(pending)) {
        queuedKeys -= pending.hashes.length;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells callers whose time has run out, if nothing else would. All calls of a queue have the same
   * timeout, so the oldest run out first.
   */
  public void expire() {
    Trouble trouble = writer.trouble();
    List<PendingWrite> expired = new ArrayList<>();
    lock.lock();
    try {
      for (PendingWrite pending : written) {
        if (!pending.deadline.passed()) {
          break;
        }
        expired.add(pending);
      }
      while (!queue.isEmpty() && queue.element().deadline.passed()) {
        expired.add(removeFirst());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    fail(expired, trouble);
  }

  private PendingWrite removeFirst() {
    PendingWrite first = queue.remove();
    queuedKeys -= first.hashes.length;
    return first;
  }

  private void fail(List<PendingWrite> givenUp, @Nullable Trouble trouble) {
    for (PendingWrite pending : givenUp) {
      boolean neverWritten = pending.abandon();
      if (!pending.answers.isDone()) {
        pending.answers.completeExceptionally(
            WriteFailures.timedOut(filter, pending, neverWritten, trouble));
      }
    }
  }

  /**
   * Takes no more calls, and waits until the queued ones are written, or until the deadline. Those
   * that are still queued then fail.
   */
  public void close(Deadline deadline) {
    List<PendingWrite> left = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      arrived.signal();
      changed.signalAll();
      while ((writing || !queue.isEmpty()) && !deadline.passed()) {
        changed.awaitNanos(deadline.remainingNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      while (!queue.isEmpty()) {
        left.add(removeFirst());
      }
      lock.unlock();
    }
    fail(left, new Trouble("the filter was closed before their turn came", null));
  }
}
