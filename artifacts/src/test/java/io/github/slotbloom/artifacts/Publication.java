package io.github.slotbloom.artifacts;

import io.github.slotbloom.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder to which the modules were deployed as they are to Maven Central, signed with a key that
 * is thrown away. All tests share it.
 */
final class Publication {

  static final String VERSION = System.getProperty("artifacts.version");
  static final List<String> JARS =
      List.of(
          "slotbloom",
          "slotbloom-cli",
          "slotbloom-micrometer",
          "slotbloom-resp",
          "slotbloom-spark",
          "slotbloom-spring",
          "slotbloom-spring-boot-starter",
          "slotbloom-spring-boot3-starter");
  static final String BOM = "slotbloom-bom";

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  /** The jar of the library as it was built before, by the build to which this test belongs. */
  static final Path BUILT_JAR = Checkout.file("target/slotbloom.jar");

  private static Publication published;

  private final Path folder = TARGET.resolve("published");
  private final Optional<ThrowAwayKey> key;

  private Publication() throws IOException, InterruptedException {
    key = ThrowAwayKey.make();
    delete(folder);
    List<String> words =
        new ArrayList<>(
            List.of(
                Maven.PROGRAM,
                "-q",
                "-B",
                "-f",
                "build",
                "deploy",
                "-Ppublished,release",
                "-DskipTests",
                // The jars on the class path of this JVM must stay.
                "-Djar.end=-published",
                // All was compiled and checked just now.
                "-Dmaven.compiler.useIncrementalCompilation=false",
                "-Denforcer.skip",
                "-Dmdep.skip",
                "-Dspotless.check.skip",
                "-Dassembly.skipAssembly",
                "-Dmaven.install.skip",
                "-DaltDeploymentRepository=local::" + folder.toUri(),
                "-pl",
                ":" + String.join(",:", artifacts())));
    Command maven = new Command(Checkout.file(""));
    if (key.isPresent()) {
      maven.with("GNUPGHOME", key.get().home());
    } else {
      words.add("-Dgpg.skip");
    }
    maven.run(words);
  }

  /** Publishes when it is called first. */
  static synchronized Publication get() throws IOException, InterruptedException {
    if (published == null) {
      published = new Publication();
    }
    return published;
  }

  static List<String> artifacts() {
    return Stream.concat(JARS.stream(), Stream.of(BOM)).toList();
  }

  /** Returns the directory of all artifacts. */
  Path group() {
    return folder.resolve("io/github/slotbloom");
  }

  /** Returns a file of an artifact, such as {@code ".pom"} or {@code "-sources.jar"}. */
  Path file(String artifact, String end) {
    return group().resolve(artifact).resolve(VERSION).resolve(artifact + "-" + VERSION + end);
  }

  /** Returns all files of an artifact that are signed, or should be. */
  List<Path> contents(String artifact) throws IOException {
    try (Stream<Path> files = Files.list(group().resolve(artifact).resolve(VERSION))) {
      return files.filter(file -> file.toString().matches(".*\\.(pom|jar|json)")).sorted().toList();
    }
  }

  /** Returns the key, or empty where this machine has no GnuPG. */
  Optional<ThrowAwayKey> key() {
    return key;
  }

  static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
