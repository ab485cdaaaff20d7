package io.github.slotbloom.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.Slotbloom.Result;
import io.github.slotbloom.cli.Slotbloom.Running;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestAccount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
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
    slotbloom.run("reserve x --capacity 1000").succeeded();
    assertThat(slotbloom.errorOn(2, "y\n", "clear x")).contains("--yes");
    assertThat(slotbloom.errorOn(2, "y\n", "drop x")).contains("--yes");

    assumeThat(launcher.shell("command -v script").exitCode()).isZero();
    Result no = launcher.shell("echo n | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(no.out())
        .contains("Remove the filter x and its tables? [y/N]", "Nothing was changed");
    assertThat(slotbloom.out("list")).isEqualTo("x\n");

    Result yes = launcher.shell("echo y | script -qec '\"$SLOTBLOOM\" drop x' /dev/null");
    assertThat(yes.ended(0).out()).contains("[y/N]");
    assertThat(slotbloom.out("list")).isEmpty();
  }

  @Test
  void dedupSaysThatItReadsFromTheTerminal() throws Exception {
    assumeThat(launcher.shell("command -v script").exitCode()).isZero();

    Result result =
        launcher.shell(
            "printf 'a\\n\\004' | script -qec '\"$SLOTBLOOM\" dedup x --capacity 10' /dev/null");

    assertThat(result.ended(0).out())
        .contains("Reading lines from the terminal; Ctrl-D ends the input.");
  }

  @Test
  void thePasswordMayComeFromAFileOrTheTerminal() throws Exception {
    Path file =
        Files.writeString(directory.resolve("password"), schema.owner().password() + "\n\n");
    InProcess without = slotbloom.with("SLOTBLOOM_PASSWORD", "");
    slotbloom.run("reserve x --capacity 1000").succeeded();

    without.run("list").failed(1);
    assertThat(slotbloom.with("SLOTBLOOM_PASSWORD", "hush-hush").error(1, "list"))
        .contains("Access denied")
        .doesNotContain("hush");
    assertThat(without.out("list --password-file " + file)).isEqualTo("x\n");
    assertThat(without.with("SLOTBLOOM_PASSWORD_FILE", file.toString()).out("list"))
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
    assertThat(slotbloom.error(1, "list")).contains("migrat");
    sql.runScript(SlotBloom.schemaSql());
    assertThat(withoutDdl().error(1, "reserve words --capacity 1000"))
        .contains(
            "Could not create the table " + sql.slots("words", 1), "needs CREATE on the schema")
        .doesNotContain("base tables", "ALTER");
    slotbloom.run("migrate").succeeded();

    assertThat(slotbloom.error(2, "dedup none")).contains("none", "--capacity");
    assertThat(slotbloom.error(1, "dedup none --capacity 10 /no/such/file"))
        .contains("/no/such/file");
    for (String line : List.of("add none k", "info none", "drop none --yes")) {
      assertThat(slotbloom.error(1, line)).contains("none");
    }
    slotbloom.run("reserve there --capacity 1000").succeeded();
    assertThat(slotbloom.error(1, "reserve there --capacity 1000")).contains("there");
  }

  @Test
  void anotherProcessThatMigratesIsWaitedForUntilTheTimeOut() throws Exception {
    String lock = "Flyway-" + ("`" + schema.name() + "`.`bloom_schema_history`").hashCode();
    try (Connection other = schema.dataSource().getConnection()) {
      try (Statement statement = other.createStatement()) {
        statement.execute("SELECT GET_LOCK('" + lock + "', 0)");
      }
      Result result = slotbloom.run("migrate --timeout 1");
      assertThat(result.exitCode()).isEqualTo(5);
      assertThat(result.err())
          .contains(
              "Another process is creating or updating the tables. This one waits for up to 1 s.")
          .contains("within 1 s");
    }
    slotbloom.run("migrate").succeeded();
  }

  @Test
  void theSqlCanBeRunBeforehand() throws Exception {
    sql.runScript(slotbloom.out("migrate --print-sql"));
    sql.runScript(slotbloom.out("reserve ours --capacity 1000 --print-sql"));
    assertThat(slotbloom.out("list")).isEmpty();

    slotbloom.run("reserve ours --capacity 1000").succeeded();
    assertThat(slotbloom.out("add ours k")).isEqualTo("1\tk\n");
  }
}
