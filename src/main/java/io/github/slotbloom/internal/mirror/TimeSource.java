package io.github.slotbloom.internal.mirror;

/** The clocks, so that tests can set them. */
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

  /** As {@link System#nanoTime()}. */
  long nanoTime();

  /** As {@link System#currentTimeMillis()}. */
  long wallMillis();

  default Moment now() {
    return new Moment(nanoTime(), wallMillis());
  }

  /**
   * Nanoseconds since then, by whichever clock went further: the monotonic one stops while a
   * machine is suspended.
   */
  default long nanosSince(Moment then) {
    return Math.max(nanoTime() - then.nanos(), (wallMillis() - then.wallMillis()) * 1_000_000L);
  }
}
