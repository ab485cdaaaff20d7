package io.github.slotbloom.artifacts;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.artifacts.Command.Result;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A little program that uses what was published. It is a directory of {@code applications} with a
 * {@code pom.xml}, a class {@code application.Application}, and {@code expected.txt}: what it
 * prints if the variables SLOTBLOOM_URL, SLOTBLOOM_USER and SLOTBLOOM_PASSWORD name an empty schema
 * and its standard input holds three lines: a, b and a.
 */
enum Application {
  PLAIN(17),
  OWN_JOOQ(21),
  COMMAND_LINE(17),
  BOOT_3_5("boot", 17, boot3("3.5.7")),
  BOOT_4_0("boot", 17, boot4("4.0.7")),
  BOOT_4_1("boot", 17, boot4("4.1.2")),
  BOOT_4_1_ON_A_LATER_JAVA("boot", 25, boot4("4.1.2")),
  BOOT_4_1_AHEAD_OF_TIME("boot", 17, boot4("4.1.2")) {
    @Override
    List<String> furtherGoals() {
      return List.of("org.springframework.boot:spring-boot-maven-plugin:4.1.2:process-aot");
    }

    @Override
    List<String> options() {
      return List.of("-Dspring.aot.enabled=true");
    }
  },
  BOOT_3_5_MONITORED("boot-monitored", 17, boot3("3.5.7")),
  BOOT_4_1_MONITORED("boot-monitored", 17, boot4("4.1.2")),
  BOOT_OWN_JOOQ("boot-own-jooq", 21, boot4("4.1.2"));

  /** The least version of Java that it runs on. */
  private final int java;

  private final Project project;

  /** Has a directory of its name. */
  Application(int java) {
    this.java = java;
    this.project = project(lowerCase(), List.of());
  }

  /**
   * @param directory where it is, if several are made of one
   * @param properties for Maven
   */
  Application(String directory, int java, List<String> properties) {
    this.java = java;
    this.project = project(directory, properties);
  }

  private Project project(String directory, List<String> properties) {
    return new Project(
        lowerCase(), "artifacts/applications/" + directory, properties, furtherGoals());
  }

  /** Returns what Maven does after it compiled the program. */
  List<String> furtherGoals() {
    return List.of();
  }

  /** Returns the options of Java that the program needs. */
  List<String> options() {
    return List.of();
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
    return Files.readString(project.sources().resolve("expected.txt"), UTF_8);
  }

  Result run(Path javaHome, TestSchema schema) throws IOException, InterruptedException {
    project.build(javaHome);
    List<String> start = new ArrayList<>(project.starting(javaHome, "application.Application"));
    start.addAll(1, options());
    return project.with(schema).reading("a\nb\na\n").run(start);
  }
}
