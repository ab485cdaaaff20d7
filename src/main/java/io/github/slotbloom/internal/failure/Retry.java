package io.github.slotbloom.internal.failure;

import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Repeats work that may fail for a moment: decides if there is another attempt, and how long to
 * wait before it. Each pause has a random part, so that processes that failed together do not come
 * back together. One thread uses an object, for one piece of work.
 */
public final class Retry {

  /** The first pause of a call. It is short, because a deadlock is over at once. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * The longest pause of a call. It is short enough to notice soon that a database is back, and a
   * database that is down has little to refuse.
   */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * The time for brief retries. It is enough for connections that broke all at once, and soon
   * reports a database that is down.
   */
  private static final Duration BRIEF = Duration.ofSeconds(2);

  /**
   * The pause of brief retries. Each attempt may use up one broken connection, so there must be
   * time for many.
   */
  private static final long BRIEF_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * The longest time that {@link #patiently} tries. A server may be restarted, and others may hold
   * a lock for longer than a statement waits for it.
   */
  public static final Duration PATIENT = Duration.ofMinutes(2);

  /** The pause of patient retries. Work of hours does not notice it. */
  private static final long PATIENT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final long longestPauseNanos;
  private long pauseNanos;

  private Retry(long firstPauseNanos, long longestPauseNanos) {
    this.pauseNanos = firstPauseNanos;
    this.longestPauseNanos = longestPauseNanos;
  }

  /** {@return retries for a caller who waits: the pauses double, up to half a second} */
  public static Retry ofCall() {
    return new Retry(FIRST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
  }

  /**
   * Does a short step that an operator requested, for two seconds at most. If the first attempt
   * alone took longer, it may be tried for two seconds more: on a machine with much to do the
   * server may have ended a session in which the client was silent for too long.
   *
   * @param passing true if another attempt after a failure may help
   * @param atOnce true if the work did not wait for what it would wait for again: an answer, or a
   *     lock
   */
  public static <T> T briefly(
      TimeSource time,
      Predicate<RuntimeException> passing,
      Predicate<RuntimeException> atOnce,
      Supplier<T> work) {
    Retry retry = new Retry(BRIEF_PAUSE_NANOS, BRIEF_PAUSE_NANOS);
    Deadline brief = Deadline.in(time, BRIEF);
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (!passing.test(e) || (brief.passed() && !atOnce.test(e))) {
        throw e;
      }
      if (brief.passed()) {
        brief = Deadline.in(time, BRIEF);
      }
      retry.pauseAfter(e, brief);
    }
    return retry.until(brief, passing, work);
  }

  /**
   * Does a step of work that may take hours in total, for {@link #PATIENT} at most.
   *
   * @param passing true if another attempt after a failure may help
   */
  public static <T> T patiently(
      TimeSource time, Predicate<RuntimeException> passing, Supplier<T> work) {
    return new Retry(PATIENT_PAUSE_NANOS, PATIENT_PAUSE_NANOS)
        .until(Deadline.in(time, PATIENT), passing, work);
  }

  /**
   * Does work until it succeeds. Throws the last failure if there is no other attempt: the deadline
   * has passed, the failure will not pass, or the thread is interrupted.
   *
   * @param passing true if another attempt after a failure may help; asked once for each failure
   */
  public <T> T until(Deadline deadline, Predicate<RuntimeException> passing, Supplier<T> work) {
    while (true) {
      try {
        return work.get();
      } catch (RuntimeException e) {
        if (!passing.test(e) || deadline.passed()) {
          throw e;
        }
        pauseAfter(e, deadline);
      }
    }
  }

  /** Throws the failure if the thread is interrupted. */
  private void pauseAfter(RuntimeException failure, Deadline deadline) {
    try {
      pause(deadline);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }

  /**
   * Waits before the next attempt, but not beyond the deadline.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public void pause(Deadline deadline) throws InterruptedException {
    long pause = pauseNanos / 2 + ThreadLocalRandom.current().nextLong(pauseNanos / 2 + 1);
    deadline.time().rest(this, Math.max(0, Math.min(pause, deadline.remainingNanos())));
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    pauseNanos = Math.min(longestPauseNanos, pauseNanos * 2);
  }
}
