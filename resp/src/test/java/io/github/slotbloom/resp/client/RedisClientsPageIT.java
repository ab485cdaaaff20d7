package io.github.slotbloom.resp.client;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.partitioningBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.resp.RedisServer;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MarkdownBlocks;
import io.github.slotbloom.testing.MarkdownBlocks.Block;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples of docs/redis-clients.md, and that of docs/quickstart.md, run as they stand there,
 * but for the port, and give what their comments say.
 */
@DatabaseContract(migrated = true, shortLeases = true, onOne = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class RedisClientsPageIT {

  private static final String PORT = "6379";

  /** Where Node.js finds the same packages as from the directory of the module. */
  private static final Path DIRECTORY = Path.of("target");

  /** A line that says what its expression gives. */
  private static final Pattern TOLD = Pattern.compile("(?m)^(.*?);? +(?://|#) (.*)$");

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private RedisServer server;

  static List<Block> javaScript() throws IOException {
    return blocks("js").toList();
  }

  static List<Block> java() throws IOException {
    return blocks("java").toList();
  }

  private static Stream<Block> blocks(String language) throws IOException {
    return MarkdownBlocks.of("docs/redis-clients.md").stream()
        .filter(block -> block.language().equals(language));
  }

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.builder(bloom).port(0).start();
  }

  @AfterEach
  void stop() {
    server.close();
    bloom.names().forEach(each -> bloom.admin(each).drop());
  }

  private String here(String text) {
    return text.replace(PORT, String.valueOf(server.address().getPort()));
  }

  @Test
  void redisCli() throws Exception {
    Programs.assumeRuns("redis-cli", "--version");
    String prompt = "127.0.0.1:" + PORT + "> ";
    String shown =
        MarkdownBlocks.of("docs/quickstart.md").stream()
            .map(Block::text)
            .filter(text -> text.contains(prompt))
            .findFirst()
            .get();
    Map<Boolean, String> lines =
        shown
            .lines()
            .filter(line -> !line.startsWith("$ "))
            .collect(partitioningBy(line -> line.startsWith(prompt), joining("\n", "", "\n")));

    String told =
        Programs.run(
            Map.of(),
            lines.get(true).replace(prompt, ""),
            "redis-cli",
            "--no-raw",
            "-p",
            here(PORT));
    // It also prints how long an answer took that was slow.
    assertThat(told.replaceAll("(?m)^\\(\\d+\\.\\d+s\\)\\n", "")).isEqualTo(lines.get(false));
  }

  @Test
  void python() throws Exception {
    String python = "/usr/bin/python3";
    Programs.assumeRuns(python, "-c", "import redis");
    check(blocks("python").findFirst().get(), "print(%s)", "%s%n%s", "example.py", python);
  }

  @ParameterizedTest
  @MethodSource
  void javaScript(Block block) throws Exception {
    // Packages that are imported must be beside the program, and those that are required need not.
    String required = block.text().replaceAll("import (.*) from (.*);", "const $1 = require($2);");
    Programs.assumeRuns("node", "--eval", required.lines().findFirst().get());
    check(
        new Block("js", "", required),
        "console.log(%s);",
        "%s%n(async () => {%n%s%nprocess.exit();%n})();",
        "example.js",
        "node");
  }

  @ParameterizedTest
  @MethodSource
  void java(Block block) throws Exception {
    check(
        block,
        "System.out.println(%s);",
        "%s%nclass Example {%npublic static void main(String... none) {%n%s%nSystem.exit(0);%n}%n}",
        "Example.java",
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
        "-Dslf4j.internal.verbosity=WARN",
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
  }

  private void check(Block block, String print, String program, String file, String... command)
      throws Exception {
    String printing = TOLD.matcher(here(block.text())).replaceAll(print.formatted("$1"));
    Map<Boolean, String> parts =
        printing
            .lines()
            .collect(
                partitioningBy(
                    line -> line.startsWith("import ") || line.contains("require("),
                    joining("\n")));
    Path source =
        Files.writeString(
            DIRECTORY.resolve(file), program.formatted(parts.get(true), parts.get(false)));
    String expected =
        TOLD.matcher(block.text()).results().map(told -> told.group(2) + "\n").collect(joining());

    assertThat(expected).isNotEmpty();
    assertThat(
            Programs.run(
                Map.of(),
                "",
                Stream.concat(Stream.of(command), Stream.of(source.toString()))
                    .toArray(String[]::new)))
        .isEqualTo(expected);
  }
}
