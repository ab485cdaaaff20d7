package io.github.slotbloom.perf.memory;

import java.nio.file.Path;

/** The system properties that the harness passes to the forked JVMs. */
public final class MemorySetup {

  /** A file with the database account. */
  public static final String ACCOUNT = "perf.account";

  /** The name of the filled filter in that database. */
  public static final String FILTER = "perf.filter";

  /** A file with Guava's filter of the same keys. */
  public static final String GUAVA = "perf.guava";

  /** True if the open filter has meters. */
  public static final String METERED = "perf.metered";

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
