package io.github.slotbloom.cli.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    description = "Create the tables that all filters share. Repeating the command does no harm.")
public final class MigrateCommand extends DatabaseCommand {

  @Option(names = "--print-sql", description = "Print the statements instead. Needs no database.")
  private boolean printSql;

  @Override
  public Integer call() throws Exception {
    if (printSql) {
      Output output = new Output(surroundings().output());
      output.println(SlotBloom.schemaSql());
      output.flush();
      return ExitCode.DONE;
    }
    return super.call();
  }

  @Override
  int run(Session session, Output output) {
    Thread worker = Thread.currentThread();
    termination().stopWith(worker::interrupt);
    try {
      session.migrate();
    } finally {
      termination().stopWith(() -> {});
      // Clear the interrupt: the resources that are closed next may have to wait.
      boolean unused = Thread.interrupted();
    }
    return ExitCode.DONE;
  }
}
