package io.github.slotbloom.perf.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes the directories of a run. */
public final class Directories {

  private Directories() {}

  public static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      Files.delete(file);
    }
  }
}
