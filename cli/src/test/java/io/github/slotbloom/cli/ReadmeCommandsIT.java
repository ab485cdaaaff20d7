package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.Checkout;
import io.github.slotbloom.testing.MarkdownBlocks;
import io.github.slotbloom.testing.MarkdownBlocks.Block;
import io.github.slotbloom.testing.MarkdownBlocks.Command;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the README, and of the pages that go on from it, in order, and compares what
 * they print.
 */
@Tag("e2e")
class ReadmeCommandsIT {

  /** Pages on which each command can be run as it stands. */
  private static final List<String> RUNNABLE_PAGES = List.of("README.md", "docs/operations.md");

  /** In the order in which their commands build on each other. */
  private static final List<String> PAGES =
      List.of(
          "README.md",
          "docs/quickstart.md",
          "docs/sql.md",
          "docs/operations.md",
          "docs/redis-clients.md",
          "docs/moving.md");

  /** Before the name of the file that a reader saves a block as. */
  private static final String FILE = "from ";

  @TempDir Path directory;

  private Slotbloom slotbloom;

  @BeforeEach
  void beInAClone() throws Exception {
    Files.createSymbolicLink(directory.resolve("slotbloom"), Installation.sharedLauncher());
    Files.copy(Checkout.file("docker-compose.yml"), directory.resolve("docker-compose.yml"));
    Files.writeString(
        directory.resolve("access.log"),
        IntStream.range(0, 200)
            .mapToObj(
                i -> "127.0.0.1 - - [29/Jan/2026 GMT] \"GET /page/" + i % 50 + " HTTP/1.1\"\n")
            .collect(Collectors.joining()));
    Path built = Installation.sharedLauncher().getParent().getParent();
    Files.createDirectories(directory.resolve("cli/target"));
    Files.createSymbolicLink(directory.resolve("cli/target/launcher"), built);
    for (Block block : blocks("java", PAGES)) {
      if (block.run().startsWith(FILE)) {
        Files.writeString(directory.resolve(block.run().substring(FILE.length())), block.text());
      }
    }
    slotbloom = new Slotbloom(directory);
  }

  @Test
  void everyBlockSaysHowItIsRun() throws Exception {
    assertThat(blocks("console", RUNNABLE_PAGES))
        .extracting(Block::run)
        .isSubsetOf(
            "embedded", "compose", "by continuous integration", "into the local repository");
    assertThat(blocks("by continuous integration"))
        .flatExtracting(Block::commands)
        .extracting(Command::line)
        .containsExactly("mvn -f build verify");
    assertThat(Files.readString(Checkout.file(".ci/run"), UTF_8))
        .contains("commands 'by continuous integration'", "commands 'into the local repository'");
  }

  @Test
  @Tag("published")
  void theCommandsRunWithTheEmbeddedDatabase() throws Exception {
    // Holds the server, which each command would start and stop.
    Running client = slotbloom.startInteractive("client");
    try {
      requireSameOutput(commands("embedded"));
      assertThat(mentionedCommands())
          .hasSizeGreaterThan(2)
          .allSatisfy(command -> slotbloom.shell(command).succeeded());
    } finally {
      client.process().getOutputStream().close();
      client.await().succeeded();
    }
    assertThat(Files.readAllLines(directory.resolve("new-urls.log"))).hasSize(50);
    assertThat(directory.resolve("base.sql")).content().contains("CREATE TABLE");
    assertThat(directory.resolve("names.sql"))
        .content()
        .containsPattern("bloom_bits_[0-9]+_names_v1");
  }

  @Test
  @Tag("servers")
  void theCommandsRunWithDockerCompose() throws Exception {
    assumeThat(slotbloom.shell("docker compose version && docker info").exitCode()).isZero();
    assumeThat(slotbloom.shell("! docker ps | grep -q :3306-").exitCode()).isZero();
    slotbloom = slotbloom.with("COMPOSE_PROJECT_NAME", "slotbloom-readme");
    try {
      requireSameOutput(commands("compose"));
    } finally {
      slotbloom.shell("docker compose down --volumes").succeeded();
    }
  }

  @Test
  @Tag("servers")
  void dockerComposeServesRedisClients() throws Exception {
    slotbloom = slotbloom.with("COMPOSE_PROJECT_NAME", "slotbloom-redis");
    assumeThat(
            slotbloom
                .shell("docker info && docker compose --profile redis pull --policy missing")
                .exitCode())
        .isZero();
    assumeThat(slotbloom.shell("! docker ps | grep -qE ':(3306|6379)-'").exitCode()).isZero();
    try {
      requireSameOutput(commands("compose with redis"));
      assertThat(ask("BF.ADD names ann")).isEqualTo("-NOAUTH Authentication required.");
      assertThat(ask("AUTH secret", "BF.ADD names ann")).isEqualTo(":1");
    } finally {
      slotbloom.shell("docker compose --profile redis down --volumes").succeeded();
    }
  }

  /** Returns the answer to the last line. */
  private static String ask(String... lines) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), 6379);
        BufferedReader answers =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(String.join("\r\n", lines).concat("\r\n").getBytes(UTF_8));
      String answer = "";
      for (String line : lines) {
        answer = answers.readLine();
      }
      return answer;
    }
  }

  private static Set<String> mentionedCommands() throws Exception {
    Set<String> mentioned = new LinkedHashSet<>();
    for (String page : RUNNABLE_PAGES) {
      Matcher mention =
          Pattern.compile("`(\\./slotbloom [^`]+)`").matcher(Files.readString(Checkout.file(page)));
      mention.results().forEach(command -> mentioned.add(command.group(1)));
    }
    return mentioned;
  }

  private void requireSameOutput(List<Command> commands) throws Exception {
    assertThat(commands).isNotEmpty();
    String mark = "----8<----\n";
    String script =
        commands.stream()
            .map(command -> command.line() + "\nprintf -- '" + mark.replace("\n", "\\n") + "'\n")
            .collect(Collectors.joining("", "set -e\n", ""));

    Result result = slotbloom.shell(script).succeeded();

    List<String> outputs = new ArrayList<>(List.of(result.out().split(mark, -1)));
    outputs.remove(outputs.size() - 1);
    assertThat(outputs).isEqualTo(commands.stream().map(Command::output).toList());
  }

  private static List<Command> commands(String run) throws Exception {
    return blocks(run).stream().flatMap(block -> block.commands().stream()).toList();
  }

  private static List<Block> blocks(String run) throws Exception {
    return blocks("console", PAGES).stream().filter(block -> block.run().equals(run)).toList();
  }

  private static List<Block> blocks(String language, List<String> pages) throws Exception {
    List<Block> blocks = new ArrayList<>();
    for (String page : pages) {
      MarkdownBlocks.of(page).stream()
          .filter(block -> block.language().equals(language))
          .forEach(blocks::add);
    }
    return blocks;
  }
}
