package io.github.slotbloom.cli;

import io.github.slotbloom.testing.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command line as the archive lays it out, made of what this build packed. Tests run this one:
 * the launcher in the root of the repository would rebuild under the tests if a source was touched.
 */
final class Installation {

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  private Installation() {}

  /** Returns the launcher of an installation that all tests of a build share. */
  static Path sharedLauncher() {
    try {
      // Of jars that changed there is another one.
      Path directory = TARGET.resolve("installation-" + newest());
      if (Files.notExists(directory)) {
        Path unfinished = Files.createTempDirectory(TARGET, "installation");
        in(unfinished);
        try {
          Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
          if (Files.notExists(directory)) {
            throw e;
          }
          // Another JVM was faster.
        }
      }
      return launcher(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the cache that all tests share, since it costs seconds to unpack. */
  static Path cache() {
    return TARGET.resolve("test-cache");
  }

  /** Makes an installation in an empty directory. */
  static void in(Path directory) throws IOException {
    Path lib = Files.createDirectories(directory.resolve("lib"));
    for (Path jar : jars()) {
      Files.createLink(lib.resolve(jar.getFileName()), jar);
    }
    Files.createDirectories(directory.resolve("bin"));
    Files.copy(Checkout.file("cli/src/launcher/slotbloom"), launcher(directory));
  }

  private static Path launcher(Path directory) {
    return directory.resolve("bin/slotbloom");
  }

  private static long newest() throws IOException {
    long newest = 0;
    for (Path jar : jars()) {
      newest = Math.max(newest, Files.getLastModifiedTime(jar).toMillis());
    }
    return newest;
  }

  private static List<Path> jars() throws IOException {
    try (Stream<Path> libraries = Files.list(TARGET.resolve("lib"))) {
      return Stream.concat(Stream.of(TARGET.resolve("slotbloom-cli.jar")), libraries).toList();
    }
  }
}
