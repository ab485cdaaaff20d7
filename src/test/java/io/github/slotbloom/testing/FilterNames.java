package io.github.slotbloom.testing;

import java.util.concurrent.atomic.AtomicInteger;

/** Names of filters. Thread-safe. */
public final class FilterNames {

  private static final AtomicInteger LAST = new AtomicInteger();

  private FilterNames() {}

  /** Returns a name that no other filter of this process has. */
  public static String newName() {
    return "filter_" + LAST.incrementAndGet();
  }
}
