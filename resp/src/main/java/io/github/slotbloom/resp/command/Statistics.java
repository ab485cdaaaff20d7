package io.github.slotbloom.resp.command;

import java.util.concurrent.atomic.LongAdder;

/** Counts what the server did since it was started. Thread-safe. */
public final class Statistics {

  private final long since = System.nanoTime();
  private final LongAdder commands = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  void answered(boolean failed, long took) {
    commands.increment();
    nanos.add(took);
    if (failed) {
      errors.increment();
    }
  }

  /** Returns how many commands were answered. */
  public long commands() {
    return commands.sum();
  }

  /** Returns how many of them were answered with an error. */
  public long errors() {
    return errors.sum();
  }

  /** Returns the sum of the seconds from the beginning of each command to its answer. */
  public double seconds() {
    return nanos.sum() / 1e9;
  }

  long uptimeSeconds() {
    return (System.nanoTime() - since) / 1_000_000_000;
  }
}
