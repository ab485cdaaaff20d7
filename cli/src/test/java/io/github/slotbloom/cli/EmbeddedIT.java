package io.github.slotbloom.cli;

import static io.github.slotbloom.cli.Lines.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands without a URL: the server they bring along, what they share, and what kill -9 does. */
@Tag("e2e")
class EmbeddedIT {

  @TempDir Path directory;

  private Path home;
  private Slotbloom launcher;

  /** For what needs no process of its own. */
  private InProcess slotbloom;

  @BeforeEach
  void begin() {
    // A number sign begins a comment in an option file, and a part of its own in a URL.
    home = directory.resolve("home#1");
    launcher = new Slotbloom(directory).with("SLOTBLOOM_HOME", home.toString());
    slotbloom = new InProcess(directory).with("SLOTBLOOM_HOME", home.toString());
  }

  @AfterEach
  void noServerStays() {
    server().ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void aNewHomeWorksAtOnceAndLeavesNoServer() throws Exception {
    assertThat(launcher.run("list").succeeded().bytes()).isEmpty();
    assertThat(launcher.runOn("a\nb\na\n", "dedup", "x", "--capacity", "1000").succeeded().out())
        .isEqualTo("a\nb\n");
    assertThat(launcher.runOn("a\nb\nc\n", "dedup", "x").succeeded().out()).isEqualTo("c\n");

    assertThat(server()).isEmpty();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(home.resolve("client.cnf"))))
        .isEqualTo("rw-------");
  }

  @Test
  void dedupPrintsNoLineTwiceAfterCommandOrServerIsKilled() throws Exception {
    List<String> printed = new ArrayList<>();
    Running first = launcher.startInteractive("dedup", "x", "--capacity", "100_000");
    first.type(numbers(0, 5_000));
    first.awaitOutput(text -> text.endsWith("\n4999\n"));

    // The command dies and the server survives; the next one uses it.
    first.process().destroyForcibly().waitFor();
    printed.addAll(Files.readAllLines(first.out()));
    ProcessHandle survivor = server().orElseThrow();
    Running second = launcher.startInteractive("dedup", "x", "--timeout", "10");
    second.type(numbers(2_500, 10_000));
    second.awaitOutput(text -> text.endsWith("\n9999\n"));
    assertThat(server()).contains(survivor);

    // The server dies and the command ends with an error.
    survivor.destroyForcibly();
    survivor.onExit().join();
    second.type("10000\n");
    second.process().getOutputStream().close();
    assertThat(second.await().ended(5).err())
        .contains("The database does not answer (", "trying again for up to 10 s")
        .contains("standard input, line 7501: the database does not answer (")
        .hasLineCount(2);
    printed.addAll(Files.readAllLines(second.out()));

    // The next command starts it again on the same data.
    Result third = launcher.runOn(numbers(0, 12_000), "dedup", "x").succeeded();
    printed.addAll(third.out().lines().toList());

    assertThat(printed).hasSameSizeAs(new HashSet<>(printed));
    assertThat(third.out()).isEqualTo(numbers(10_000, 12_000));
    assertThat(server()).isEmpty();
  }

  @Test
  void manyCommandsShareOneServerAndTheLastStopsIt() throws Exception {
    List<Running> runs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      byte[] overlapping = numbers(i * 1_000, i * 1_000 + 2_000).getBytes(UTF_8);
      runs.add(launcher.startOn(overlapping, "dedup", "x", "--capacity", "100_000"));
    }

    List<String> printed = new ArrayList<>();
    for (Running run : runs) {
      printed.addAll(run.await().succeeded().out().lines().toList());
    }

    assertThat(printed).hasSameSizeAs(new HashSet<>(printed)).hasSize(7_000);
    assertThat(server()).isEmpty();
  }

  @Test
  void aServerWithoutAnAddressIsReplaced() throws Exception {
    Running first = launcher.startInteractive("dedup", "x", "--capacity", "1000");
    first.type("a\n");
    first.awaitOutput("a\n");
    first.process().destroyForcibly().waitFor();
    Files.writeString(home.resolve("client.cnf"), "damaged");

    assertThat(slotbloom.run("exists", "x", "a").succeeded().out()).isEqualTo("1\ta\n");
    assertThat(server()).isEmpty();
  }

  @Test
  void aCommandStartsDespiteLeftoversOfACrash() throws Exception {
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();
    Files.createDirectories(home.resolve("data.new/mysql"));
    Files.writeString(home.resolve("data/mysqld.pid"), "1\n");
    Files.writeString(home.resolve("data/tc.log"), "half-writt");
    Files.writeString(home.resolve("init.sql"), "half-writt");

    assertThat(slotbloom.run("list").succeeded().out()).isEqualTo("x\n");
  }

  @Test
  void aHomeThatOthersCouldChangeIsRefused() throws Exception {
    Files.createDirectory(home);
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThat(slotbloom.run("list").failed(1).err()).contains(home.toString(), "chmod 700");
  }

  @Test
  void anErrorNamesAHomeThatIsNoDirectory() throws Exception {
    Files.writeString(home, "");

    assertThat(slotbloom.run("list").failed(1).err()).contains(home.toString(), "--home");
  }

  @Test
  void anErrorNamesAHomeWithASpace() throws Exception {
    Path spaced = directory.resolve("my home");

    assertThat(slotbloom.with("SLOTBLOOM_HOME", spaced.toString()).run("list").failed(1).err())
        .contains(spaced.toString(), "space", "--home");
    assertThat(spaced).doesNotExist();
  }

  @Test
  void anErrorNamesAHomeThatCannotBeMade() throws Exception {
    Result result = slotbloom.with("SLOTBLOOM_HOME", "/proc/slotbloom").run("list").failed(1);

    assertThat(result.err()).contains("/proc/slotbloom", "--home");
  }

  @Test
  void anErrorNamesAFullFileSystem() throws Exception {
    Files.createDirectory(home);
    assumeThat(launcher.shell("mount -t tmpfs -o size=8m,mode=700 tmpfs 'home#1'").exitCode())
        .isZero();
    try {
      assertThat(slotbloom.run("list").failed(1).err()).contains(home.toString(), "MiB", "--home");
    } finally {
      launcher.shell("umount 'home#1'").succeeded();
    }
  }

  @Test
  void anErrorNamesAPlatformWithoutAServer() throws Exception {
    Result result = launcher.with("JDK_JAVA_OPTIONS", "-Dos.arch=s390x").run("list").ended(1);

    assertThat(result.err()).contains("Linux s390x", "--url");
  }

  @Test
  void theClientShowsTheTables() throws Exception {
    slotbloom.runOn("a\nb\n", "dedup", "x", "--capacity", "1000").succeeded();

    Result rows =
        launcher.run("client", "-N", "-e", "SELECT name, keys_added FROM bloom_filter_status");

    assertThat(rows.succeeded().out()).isEqualTo("x\t2\n");
    assertThat(launcher.runOn("SELECT 1 + 1;", "client", "-N").succeeded().out()).isEqualTo("2\n");
    assertThat(launcher.run("client", "-e", "SELECT nonsense").ended(1).err()).contains("nonsense");
    assertThat(slotbloom.run("client", "--url", "jdbc:mysql://h/x").failed(2).err())
        .contains("jdbc:mysql://h/x");
    assertThat(server()).isEmpty();
  }

  private Optional<ProcessHandle> server() {
    String data = "--datadir=" + home.toAbsolutePath().resolve("data");
    return ProcessHandle.allProcesses()
        .filter(
            process -> process.info().arguments().map(a -> List.of(a).contains(data)).orElse(false))
        .findFirst();
  }
}
