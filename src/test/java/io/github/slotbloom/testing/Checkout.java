package io.github.slotbloom.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds files of the project from the tests of any module. */
public final class Checkout {

  private static final Path ROOT = root();

  private Checkout() {}

  /** Returns the absolute path of a file, given its path from the root of the project. */
  public static Path file(String path) {
    return ROOT.resolve(path);
  }

  private static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (Files.notExists(directory.resolve("db-migrations"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("No parent of the working directory has db-migrations.");
      }
    }
    return directory;
  }
}
