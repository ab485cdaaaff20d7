package io.github.slotbloom.artifacts;

import io.github.slotbloom.testing.Checkout;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Maven project that uses what was published, and is no module of our own build. It is built
 * beside its sources' directory, which stays as it is.
 */
final class Project {

  // The goals and versions of our own build, so nothing is downloaded for them.
  private static final String PLUGINS = "org.apache.maven.plugins:maven-";
  private static final List<String> GOALS =
      List.of(
          PLUGINS + "resources-plugin:3.4.0:resources",
          PLUGINS + "compiler-plugin:3.14.1:compile",
          PLUGINS + "dependency-plugin:3.9.0:copy-dependencies");

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  /** Applications have another one than our own build, which must never find our own jars there. */
  private static final Path LOCAL_REPOSITORY = TARGET.resolve("local-repository");

  private final Path sources;
  private final Path place;
  private final List<String> properties;
  private final List<String> furtherGoals;
  private boolean built;

  /**
   * Creates a project that was not built yet.
   *
   * @param name tells it from others of the same sources
   * @param sources a directory of the checkout
   * @param properties for Maven
   * @param furtherGoals what Maven does after it compiled the project
   */
  Project(String name, String sources, List<String> properties, List<String> furtherGoals) {
    this.sources = Checkout.file(sources);
    this.place = TARGET.resolve("applications").resolve(name);
    this.properties = properties;
    this.furtherGoals = furtherGoals;
  }

  Path sources() {
    return sources;
  }

  /** Returns a program in its directory, with the variables that name a schema. */
  Command with(TestSchema schema) {
    return new Command(place)
        .with("SLOTBLOOM_URL", schema.url())
        .with("SLOTBLOOM_USER", schema.owner().user())
        .with("SLOTBLOOM_PASSWORD", schema.owner().password());
  }

  /** Returns what starts a class of it, once it is built. */
  List<String> starting(Path javaHome, String mainClass, String... arguments) {
    String classPath = place.resolve("target/classes") + ":" + place.resolve("target/lib/*");
    return Stream.concat(
            Stream.of(javaHome.resolve("bin/java").toString(), "-cp", classPath, mainClass),
            Stream.of(arguments))
        .toList();
  }

  synchronized void build(Path javaHome) throws IOException, InterruptedException {
    if (built) {
      return;
    }
    built = true;
    usePublished();
    copySources();
    new Command(place)
        .with("JAVA_HOME", javaHome.toString())
        .run(
            Stream.concat(
                    Stream.of(
                        Maven.PROGRAM,
                        "-q",
                        "-B",
                        "-gs",
                        Checkout.file("artifacts/applications/settings.xml").toString(),
                        "-Dmaven.repo.local=" + LOCAL_REPOSITORY,
                        "-Ddownloaded=" + Maven.DOWNLOADED.toUri(),
                        "-Dslotbloom.version=" + Publication.VERSION,
                        "-DincludeScope=runtime",
                        "-DoutputDirectory=target/lib"),
                    Stream.of(properties, GOALS, furtherGoals).flatMap(List::stream))
                .toList());
  }

  private static void usePublished() throws IOException, InterruptedException {
    Path published = Publication.get().group();
    Path group = LOCAL_REPOSITORY.resolve("io/github/slotbloom");
    if (!Files.isSymbolicLink(group)) {
      Files.createDirectories(group.getParent());
      Files.createSymbolicLink(group, published);
    }
  }

  private void copySources() throws IOException {
    Publication.delete(place);
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(this::isSource).toList()) {
        Path copy = place.resolve(sources.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  /** Somebody may have built it there by hand. */
  private boolean isSource(Path file) {
    return !file.startsWith(sources.resolve("target"));
  }
}
