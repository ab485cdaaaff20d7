package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes with which the launcher starts Java faster. */
@DatabaseContract(onOne = true)
@Tag("e2e")
@Tag("published")
class ClassArchiveIT {

  @TempDir Path directory;

  private Path lib;
  private Path java;
  private Slotbloom slotbloom;

  @BeforeEach
  void install(TestSchema schema) throws IOException {
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource())) {
      bloom.migrate();
    }
    Installation.in(directory.resolve("an installation"));
    lib = directory.resolve("an installation/lib");
    java = Files.createDirectories(directory.resolve("jre/bin")).resolve("java");
    Path real = Path.of(System.getProperty("java.home"), "bin", "java");
    Files.writeString(
        java, "#!/bin/sh\necho \"$@\" >>'" + calls() + "'\nexec '" + real + "' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    slotbloom =
        new Slotbloom(directory)
            .on(schema, schema.owner())
            .with("JAVA_HOME", directory.resolve("jre").toString());
  }

  private Path calls() {
    return directory.resolve("calls");
  }

  private Path archive() {
    return lib.resolve("slotbloom.jsa");
  }

  private Result run(String command) throws Exception {
    return slotbloom.shell("exec 'an installation/bin/slotbloom' " + command);
  }

  private String lastCall() throws IOException {
    List<String> calls = Files.readAllLines(calls());
    return calls.get(calls.size() - 1);
  }

  private List<String> archives() throws IOException {
    try (Stream<Path> files = Files.list(lib)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.contains(".jsa"))
          .sorted()
          .toList();
    }
  }

  @Test
  void oneCommandWritesTheArchiveAndTheNextPutsItInPlace() throws Exception {
    assertThat(run("--version").succeeded().err()).isEmpty();
    assertThat(archives()).isEmpty();

    assertThat(run("reserve words --capacity 1000").succeeded().err()).isEmpty();
    assertThat(archives()).containsExactly("slotbloom.jsa.new", "slotbloom.jsa.writer");

    Result added = run("add words a").succeeded();
    assertThat(added.out()).isEqualTo("1\ta\n");
    assertThat(added.err()).isEmpty();
    assertThat(archives()).containsExactly("slotbloom.jsa");
    assertThat(lastCall()).contains("-XX:SharedArchiveFile=" + archive().toRealPath());

    Result asked = run("exists words b").ended(3);
    assertThat(asked.out()).isEqualTo("0\tb\n");
    assertThat(asked.err()).isEmpty();
    assertThat(lastCall()).contains("-XX:SharedArchiveFile=" + archive().toRealPath());
  }

  @Test
  void aCommandThatFailsLeavesTheArchiveToTheNext() throws Exception {
    assertThat(run("info none").failed(1).err()).contains("none");
    assertThat(Files.exists(lib.resolve("slotbloom.jsa.writer"), LinkOption.NOFOLLOW_LINKS))
        .isFalse();

    run("list").succeeded();
    assertThat(archives()).containsExactly("slotbloom.jsa.new", "slotbloom.jsa.writer");
  }

  @Test
  void leftoversOfADeadProcessAreRemoved() throws Exception {
    Files.writeString(lib.resolve("slotbloom.jsa.new"), "cut off");
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Files.createSymbolicLink(lib.resolve("slotbloom.jsa.writer"), Path.of("" + ended.pid()));

    Result listed = run("list").succeeded();
    assertThat(listed.out() + listed.err()).isEmpty();
    assertThat(archives()).isEmpty();
  }

  @Test
  void otherCommandsRunWithoutTheArchiveWhileOneWritesIt() throws Exception {
    Path writer = Path.of("" + ProcessHandle.current().pid());
    Files.createSymbolicLink(lib.resolve("slotbloom.jsa.writer"), writer);

    run("list").succeeded();
    assertThat(lastCall()).doesNotContain("ArchiveClassesAtExit", "SharedArchiveFile");
    assertThat(archives()).containsExactly("slotbloom.jsa.writer");
  }

  @Test
  void anArchiveOfAnotherJavaOrOfOtherJarsChangesNothing() throws Exception {
    Files.writeString(archive(), "of another Java");

    Result listed = run("list").succeeded();
    assertThat(listed.out() + listed.err()).isEmpty();
  }
}
