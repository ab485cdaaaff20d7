package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the launcher builds, in a clone where Maven and Java only say that they were called. */
@Tag("e2e")
class LauncherIT {

  private static final List<String> TOOLS =
      List.of(
          "sh",
          "find",
          "head",
          "dirname",
          "readlink",
          "mkdir",
          "rm",
          "cp",
          "mv",
          "ln",
          "touch",
          "flock",
          "cat",
          "wc");

  @TempDir Path directory;

  private Path clone;
  private Path source;

  @BeforeEach
  void cloneWithoutContents() throws IOException {
    linkTools();
    clone = Files.createDirectories(directory.resolve("a clone"));
    Files.createDirectories(clone.resolve("build"));
    Files.createDirectories(clone.resolve("db-migrations"));
    Files.createDirectories(clone.resolve("cli/src/launcher"));
    Files.createDirectories(clone.resolve("cli/src/main"));
    Files.createDirectories(clone.resolve("resp/src/main"));
    source = Files.createDirectories(clone.resolve("src/main")).resolve("A.java");
    Files.writeString(source, "");
    Files.writeString(clone.resolve("pom.xml"), "");
    Files.writeString(clone.resolve("build/pom.xml"), "");
    Files.writeString(clone.resolve("cli/pom.xml"), "");
    Files.writeString(clone.resolve("resp/pom.xml"), "");
    program("slotbloom", Files.readString(Checkout.file("slotbloom")), clone);
    program(
        "slotbloom",
        Files.readString(Checkout.file("cli/src/launcher/slotbloom")),
        clone.resolve("cli/src/launcher"));
    program(
        "mvn",
        """
        #!/bin/sh
        echo built >>../builds
        mkdir -p cli/target/lib
        echo "$(cat ../builds | wc -l)" >cli/target/slotbloom-cli.jar
        echo library >cli/target/lib/library.jar
        cp cli/target/slotbloom-cli.jar cli/target/lib/slotbloom-1.jar
        """,
        directory);
    program(
        "java",
        "#!/bin/sh\necho \"ran $(cat cli/target/launcher/lib/slotbloom-cli.jar)\"\n",
        directory);
  }

  @Test
  void theLauncherBuildsOnceAndSaysSo() throws Exception {
    Run first = start().await();
    Run second = start().await();

    assertThat(first.out()).isEqualTo("ran 1\n");
    assertThat(first.err()).startsWith("slotbloom: building").hasLineCount(1);
    assertThat(second.out()).isEqualTo("ran 1\n");
    assertThat(second.err()).isEmpty();
  }

  @Test
  void theLauncherBuildsAgainWhenSourcesAreNewer() throws Exception {
    start().await();
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));

    assertThat(start().await().out()).isEqualTo("ran 2\n");
    assertThat(clone.resolve("cli/target/launcher/lib/slotbloom-1.jar")).hasContent("2");
  }

  @Test
  void theLauncherDoesNotBuildAgainForWhatABuildWrote() throws Exception {
    start().await();
    Path written = Files.createDirectories(clone.resolve("build/target")).resolve("spotless-index");
    Files.setLastModifiedTime(
        Files.writeString(written, ""), FileTime.from(Instant.now().plusSeconds(1)));

    assertThat(start().await().out()).isEqualTo("ran 1\n");
  }

  @Test
  void oneOfSeveralLaunchersBuilds() throws Exception {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      runs.add(start());
    }
    for (Run run : runs) {
      assertThat(run.await().out()).isEqualTo("ran 1\n");
    }
  }

  @Test
  void aFailedBuildIsToldAndTriedAgain() throws Exception {
    String good = Files.readString(directory.resolve("mvn"));
    program("mvn", "#!/bin/sh\necho '[ERROR] broken' >&2\nexit 1\n", directory);
    Run failed = start().await();
    program("mvn", good, directory);

    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err()).contains("[ERROR] broken", "slotbloom: The build failed");
    assertThat(failed.out()).isEmpty();
    assertThat(start().await().out()).isEqualTo("ran 1\n");
  }

  @Test
  void theLauncherSaysThatMavenIsMissing() throws Exception {
    Files.delete(directory.resolve("mvn"));

    Run run = start().await();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("Maven 3.8").hasLineCount(1);
  }

  /** What the launcher uses, and no real Maven or Java beside it. */
  private void linkTools() throws IOException {
    Path tools = Files.createDirectory(directory.resolve("tools"));
    for (String tool : TOOLS) {
      for (String place : List.of("/usr/bin/", "/bin/")) {
        Path program = Path.of(place + tool);
        if (Files.exists(program) && Files.notExists(tools.resolve(tool))) {
          Files.createSymbolicLink(tools.resolve(tool), program);
        }
      }
    }
  }

  private static void program(String name, String script, Path place) throws IOException {
    Path file = Files.writeString(place.resolve(name), script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Run start() throws IOException {
    Path out = Files.createTempFile(directory, "run", ".out");
    Path err = Files.createTempFile(directory, "run", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(clone.resolve("slotbloom").toString())
            .directory(clone.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", directory + ":" + directory.resolve("tools"));
    return new Run(builder.start(), out, err);
  }

  private record Run(Process process, Path outFile, Path errFile) {

    Run await() throws InterruptedException {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return this;
    }

    int exitCode() {
      return process.exitValue();
    }

    String out() throws IOException {
      return Files.readString(outFile);
    }

    String err() throws IOException {
      return Files.readString(errFile);
    }
  }
}
