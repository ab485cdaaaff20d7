package io.github.slotbloom.artifacts;

import java.nio.file.Path;

/** The Maven that runs this build. */
final class Maven {

  static final String PROGRAM = System.getProperty("artifacts.maven");

  /** What it has downloaded so far. */
  static final Path DOWNLOADED = Path.of(System.getProperty("artifacts.downloaded"));

  private Maven() {}
}
