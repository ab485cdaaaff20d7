package io.github.slotbloom.artifacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The versions of Java on this machine. */
final class JavaHomes {

  private static final Path USUAL_PLACE = Path.of("/usr/lib/jvm");
  private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(\\d+)");

  private JavaHomes() {}

  /** Returns the Java that runs this test if it is new enough, or else any that is. */
  static Optional<Path> atLeast(int version) throws IOException {
    List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
    if (Files.isDirectory(USUAL_PLACE)) {
      try (Stream<Path> others = Files.list(USUAL_PLACE)) {
        others.sorted().forEach(homes::add);
      }
    }
    for (Path home : homes) {
      if (Files.isExecutable(home.resolve("bin/javac")) && version(home) >= version) {
        return Optional.of(home);
      }
    }
    return Optional.empty();
  }

  private static int version(Path home) throws IOException {
    Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
    return version.find() ? Integer.parseInt(version.group(1)) : 0;
  }
}
