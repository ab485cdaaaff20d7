package io.github.slotbloom.perf.memory;

import java.nio.file.Path;

/** What the forked JVMs are told by the harness. */
public final class MemorySetup {

  /** A file with the way to the database. */
  public static final String ACCOUNT = "perf.account";

  /** The name of the filter that was filled there. */
  public static final String FILTER = "perf.filter";

  /** A file with a filter of Guava's, of the same keys. */
  public static final String GUAVA = "perf.guava";

  private MemorySetup() {}

  static String get(String property) {
    String value = System.getProperty(property);
    if (value == null) {
      throw new IllegalStateException("Run it by perf/run: -D" + property + " is not given.");
    }
    return value;
  }

  static Path file(String property) {
    return Path.of(get(property));
  }
}
