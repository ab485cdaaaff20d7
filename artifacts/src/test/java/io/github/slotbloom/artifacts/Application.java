package io.github.slotbloom.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.artifacts.Command.Result;
import io.github.slotbloom.testing.Checkout;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A little program that uses what was published. It is a directory of {@code applications} with a
 * {@code pom.xml}, a class {@code Application}, and {@code expected.txt}: what it prints if the
 * variables SLOTBLOOM_URL, SLOTBLOOM_USER and SLOTBLOOM_PASSWORD name an empty schema and its
 * standard input holds three lines: a, b and a.
 */
enum Application {
  PLAIN(17),
  OWN_JOOQ(21),
  COMMAND_LINE(17),
  BOOT_3_5("boot", 17, boot3("3.5.7")),
  BOOT_4_0("boot", 17, boot4("4.0.7")),
  BOOT_4_1("boot", 17, boot4("4.1.2")),
  BOOT_4_1_ON_A_LATER_JAVA("boot", 25, boot4("4.1.2")),
  BOOT_OWN_JOOQ("boot-own-jooq", 21, boot4("4.1.2"));

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

  private static final Set<Application> built = EnumSet.noneOf(Application.class);

  /** The least version of Java that it runs on. */
  private final int java;

  private final String directory;
  private final List<String> properties;

  Application(int java) {
    this.java = java;
    this.directory = lowerCase();
    this.properties = List.of();
  }

  /**
   * @param directory where it is, if several are made of one
   * @param properties for Maven
   */
  Application(String directory, int java, List<String> properties) {
    this.java = java;
    this.directory = directory;
    this.properties = properties;
  }

  private static List<String> boot3(String version) {
    return boot(version, "slotbloom-spring-boot3-starter");
  }

  private static List<String> boot4(String version) {
    return boot(version, "slotbloom-spring-boot-starter");
  }

  private static List<String> boot(String version, String starter) {
    return List.of("-Dspring-boot.version=" + version, "-Dstarter=" + starter);
  }

  private String lowerCase() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  int java() {
    return java;
  }

  /** Returns what it prints. */
  String expected() throws IOException {
    return Files.readString(sources().resolve("expected.txt"), UTF_8);
  }

  Result run(Path javaHome, TestSchema schema) throws IOException, InterruptedException {
    build(javaHome);
    String classPath = place().resolve("target/classes") + ":" + place().resolve("target/lib/*");
    return new Command(place())
        .with("SLOTBLOOM_URL", schema.url())
        .with("SLOTBLOOM_USER", schema.owner().user())
        .with("SLOTBLOOM_PASSWORD", schema.owner().password())
        .reading("a\nb\na\n")
        .run(List.of(javaHome.resolve("bin/java").toString(), "-cp", classPath, "Application"));
  }

  private void build(Path javaHome) throws IOException, InterruptedException {
    synchronized (built) {
      if (built.add(this)) {
        usePublished();
        copySources();
        new Command(place())
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
                        Stream.concat(properties.stream(), GOALS.stream()))
                    .toList());
      }
    }
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
    Publication.delete(place());
    try (Stream<Path> files = Files.walk(sources())) {
      for (Path file : files.toList()) {
        Path copy = place().resolve(sources().relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  private Path sources() {
    return Checkout.file("artifacts/applications").resolve(directory);
  }

  private Path place() {
    return TARGET.resolve("applications").resolve(lowerCase());
  }
}
