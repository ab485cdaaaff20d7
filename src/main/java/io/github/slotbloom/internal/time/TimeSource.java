package io.github.slotbloom.internal.time;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/** The clocks, and what waits by them. Tests can replace them. */
public interface TimeSource {

  /** The clocks of this machine. */
  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public long wallMillis() {
          return System.currentTimeMillis();
        }
      };

  /** Returns the monotonic clock in nanoseconds, like {@link System#nanoTime()}. */
  long nanoTime();

  /** Returns the wall clock in milliseconds, like {@link System#currentTimeMillis()}. */
  long wallMillis();

  /** Lets the calling thread rest, like {@link LockSupport#parkNanos}; an interrupt ends that. */
  default void rest(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  /**
   * Lingers for a signal, like {@link Condition#awaitNanos}, which is to be called in a loop.
   *
   * @return what is left of the time; 0 or less if it is over
   */
  @SuppressWarnings("WaitNotInLoop")
  default long linger(Condition signal, long nanos) throws InterruptedException {
    return signal.awaitNanos(nanos);
  }

  default Moment now() {
    return new Moment(nanoTime(), wallMillis());
  }

  /**
   * Returns the nanoseconds since a moment, by the clock that advanced further. The monotonic clock
   * stops while a machine is suspended.
   */
  default long nanosSince(Moment then) {
    return Math.max(nanoTime() - then.nanos(), (wallMillis() - then.wallMillis()) * 1_000_000L);
  }
}
