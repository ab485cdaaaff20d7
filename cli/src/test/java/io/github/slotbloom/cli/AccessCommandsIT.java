package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestAccount;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Commands tell what an account or a schema lacks, ask before they destroy, and show no password.
 */
@DatabaseContract(onOne = true)
@Tag("e2e")
class AccessCommandsIT extends OnSchema {

  @Test
  void clearAndDropAskForConfirmation() throws Exception {
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();
    slotbloom.run("add", "x", "k").succeeded();

    assertThat(slotbloom.runOn("y\n", "clear", "x").failed(2).err()).contains("--yes");
    assertThat(slotbloom.runOn("y\n", "drop", "x").failed(2).err()).contains("--yes");
    slotbloom.run("exists", "x", "k").ended(0);
  }

  @Test
  void aTerminalAsksForConfirmation() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();

    Result no = launcher.shell("echo n | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(no.out())
        .contains("Remove the filter x and its tables? [y/N]", "Nothing was changed");
    assertThat(slotbloom.run("list").out()).isEqualTo("x\n");

    Result yes = launcher.shell("echo y | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(yes.ended(0).out()).contains("[y/N]");
    assertThat(slotbloom.run("list").out()).isEmpty();
  }

  @Test
  void dedupSaysThatItReadsFromTheTerminal() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();

    Result result =
        launcher.shell(
            "printf 'a\\n\\004' | script -qec '\"$SLOTBLOOM\" dedup x --capacity 10' /dev/null");

    assertThat(result.ended(0).out())
        .contains("Reading lines from the terminal; Ctrl-D ends them.");
  }

  @Test
  void thePasswordMayComeFromAFileOrTheTerminal() throws Exception {
    Path file =
        Files.writeString(directory.resolve("password"), schema.owner().password() + "\n\n");
    InProcess without = slotbloom.with("SLOTBLOOM_PASSWORD", "");
    slotbloom.run("reserve", "x", "--capacity", "1000").succeeded();

    without.run("list").failed(1);
    assertThat(without.run("list", "--password-file", file.toString()).succeeded().out())
        .isEqualTo("x\n");
    assertThat(
            without.with("SLOTBLOOM_PASSWORD_FILE", file.toString()).run("list").succeeded().out())
        .isEqualTo("x\n");
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    Result asked =
        launcher
            .with("SLOTBLOOM_PASSWORD", "")
            .with("TYPED", schema.owner().password())
            .shell("echo \"$TYPED\" | script -qec '\"$SLOTBLOOM\" list --password' /dev/null");
    assertThat(asked.ended(0).out()).contains("Password: ", "x\r\n");
  }

  @Test
  void aPasswordDoesNotShowInTheProcessList() throws Exception {
    // With a password that nothing else is called.
    TestAccount account = schema.createAccount("ALL");
    Running running =
        launcher.on(schema, account).startInteractive("dedup", "x", "--capacity", "1000");
    running.type("a\n");
    running.awaitOutput("a\n");

    String arguments = Files.readString(Path.of("/proc/" + running.process().pid() + "/cmdline"));
    running.process().getOutputStream().close();

    assertThat(arguments).contains("dedup").doesNotContain(account.password());
    running.await().succeeded();
  }

  @Test
  void anErrorNamesWhatIsMissing() throws Exception {
    slotbloom.run("migrate").succeeded();

    assertThat(slotbloom.run("dedup", "none").failed(2).err()).contains("none", "--capacity");
    assertThat(slotbloom.run("add", "none", "k").failed(1).err()).contains("none");
    assertThat(slotbloom.run("info", "none").failed(1).err()).contains("none");
    assertThat(slotbloom.run("drop", "none", "--yes").failed(1).err()).contains("none");
    assertThat(slotbloom.run("dedup", "none", "--capacity", "10", "/no/such/file").failed(1).err())
        .contains("/no/such/file");
    slotbloom.run("reserve", "there", "--capacity", "1000").succeeded();
    assertThat(slotbloom.run("reserve", "there", "--capacity", "1000").failed(1).err())
        .contains("there");
  }

  @Test
  void aCommandSaysThatTheTablesAreMissing() throws Exception {
    assertThat(slotbloom.run("list").failed(1).err()).contains("migrat");
  }

  @Test
  void theSqlCanBeRunBeforehand() throws Exception {
    sql.runScript(slotbloom.run("migrate", "--print-sql").succeeded().out());
    sql.runScript(
        slotbloom.run("reserve", "ours", "--capacity", "1000", "--print-sql").succeeded().out());
    assertThat(slotbloom.run("list").succeeded().out()).isEmpty();

    slotbloom.run("reserve", "ours", "--capacity", "1000").succeeded();
    assertThat(slotbloom.run("add", "ours", "k").succeeded().out()).isEqualTo("1\tk\n");
  }

  @Test
  void anErrorDoesNotShowTheWrongPassword() throws Exception {
    Result wrong = slotbloom.with("SLOTBLOOM_PASSWORD", "hush-hush").run("list").failed(1);

    assertThat(wrong.err()).contains("Access denied").doesNotContain("hush");
  }
}
