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
  void commandsMakeANewHomeShareItsServerAndTheLastStopsIt() throws Exception {
    String[] dedup = "dedup x --capacity 100_000".split(" ");
    List<Running> runs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      byte[] overlapping = numbers(i * 1_000, i * 1_000 + 2_000).getBytes(UTF_8);
      runs.add(launcher.startOn(overlapping, dedup));
    }
    Result third = slotbloom.runOn(numbers(2_000, 4_000), dedup).succeeded();

    List<String> printed = new ArrayList<>(third.out().lines().toList());
    for (Running run : runs) {
      printed.addAll(run.await().succeeded().out().lines().toList());
    }

    assertThat(printed).doesNotHaveDuplicates().hasSize(4_000);
    assertThat(server()).isEmpty();
    assertThat(permissions(home)).isEqualTo("rwx------");
    assertThat(permissions(home.resolve("client.cnf"))).isEqualTo("rw-------");
  }

  private static String permissions(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void dedupPrintsNoLineTwiceAfterCommandOrServerIsKilled() throws Exception {
    List<String> printed = new ArrayList<>();
    Running first = launcher.startInteractive("dedup", "x", "--capacity", "100_000");
    first.type(numbers(0, 500));
    first.awaitOutput(text -> text.endsWith("\n499\n"));

    // The command dies and the server survives; the next one uses it.
    first.process().destroyForcibly().waitFor();
    printed.addAll(Files.readAllLines(first.out()));
    ProcessHandle survivor = server().orElseThrow();
    Running second = launcher.startInteractive("dedup", "x", "--timeout", "3");
    second.type(numbers(250, 1_000));
    second.awaitOutput(text -> text.endsWith("\n999\n"));
    assertThat(server()).contains(survivor);

    // The server dies and the command ends with an error.
    survivor.destroyForcibly();
    survivor.onExit().join();
    second.type("1000\n");
    second.process().getOutputStream().close();
    assertThat(second.await().ended(5).err())
        .contains("The database does not answer (", "trying again for up to 3 s")
        .contains("standard input, line 751: the database does not answer (")
        .hasLineCount(2);
    printed.addAll(Files.readAllLines(second.out()));

    // The next command starts it again on the same data.
    Running third = launcher.startInteractive("dedup", "x");
    third.type(numbers(0, 1_200));
    third.awaitOutput(numbers(1_000, 1_200)::equals);
    third.process().destroyForcibly().waitFor();
    printed.addAll(Files.readAllLines(third.out()));
    assertThat(printed).doesNotHaveDuplicates();

    // A server that survives without its address is replaced.
    assertThat(server()).isPresent();
    Files.writeString(home.resolve("client.cnf"), "damaged");
    assertThat(slotbloom.outOn(numbers(0, 1_200), "dedup x")).isEmpty();
    assertThat(server()).isEmpty();
  }

  @Test
  void theClientShowsTheTablesDespiteLeftoversOfACrash() throws Exception {
    slotbloom.runOn("a\nb\n", "dedup x --capacity 1000").succeeded();
    Files.createDirectories(home.resolve("data.new/mysql"));
    Files.writeString(home.resolve("data/mysqld.pid"), "1\n");
    Files.writeString(home.resolve("data/tc.log"), "half-writt");
    Files.writeString(home.resolve("init.sql"), "half-writt");

    String tables = "SELECT name, keys_added FROM bloom_filter_status; SELECT nonsense";
    Result rows = launcher.run("client", "-N", "-e", tables).ended(1);

    assertThat(rows.out()).isEqualTo("x\t2\n");
    assertThat(rows.err()).contains("nonsense");
    assertThat(launcher.runOn("SELECT 1 + 1;", "client", "-N").succeeded().out()).isEqualTo("2\n");
    assertThat(slotbloom.error(2, "client --url jdbc:mysql://h/x")).contains("jdbc:mysql://h/x");
    assertThat(server()).isEmpty();
  }

  @Test
  void anErrorNamesAHomeThatWillNotDo() throws Exception {
    Path spaced = directory.resolve("my home");
    assertThat(slotbloom.with("SLOTBLOOM_HOME", spaced.toString()).error(1, "list"))
        .contains(spaced.toString(), "space", "--home");
    assertThat(spaced).doesNotExist();
    assertThat(slotbloom.with("SLOTBLOOM_HOME", "/proc/slotbloom").error(1, "list"))
        .contains("/proc/slotbloom", "--home");

    Files.writeString(home, "");
    assertThat(slotbloom.error(1, "list")).contains(home.toString(), "--home");
    Files.delete(home);
    Files.createDirectory(home);
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(slotbloom.error(1, "list")).contains(home.toString(), "chmod 700");
  }

  @Test
  void anErrorNamesAFullFileSystem() throws Exception {
    Files.createDirectory(home);
    assumeThat(launcher.shell("mount -t tmpfs -o size=8m,mode=700 tmpfs 'home#1'").exitCode())
        .isZero();
    try {
      assertThat(slotbloom.error(1, "list")).contains(home.toString(), "MiB", "--home");
    } finally {
      launcher.shell("umount 'home#1'").succeeded();
    }
  }

  @Test
  void anErrorNamesAPlatformWithoutAServer() throws Exception {
    Result result = launcher.with("JDK_JAVA_OPTIONS", "-Dos.arch=s390x").run("list").ended(1);

    assertThat(result.err()).contains("Linux s390x", "--url");
  }

  private Optional<ProcessHandle> server() {
    String data = "--datadir=" + home.toAbsolutePath().resolve("data");
    return ProcessHandle.allProcesses()
        .filter(
            process -> process.info().arguments().map(a -> List.of(a).contains(data)).orElse(false))
        .findFirst();
  }
}
