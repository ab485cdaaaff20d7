package io.github.slotbloom.internal.mirror;

/** The clocks. Tests can replace them. */
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
