package io.github.slotbloom.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "grow",
    description =
        "Let a filter hold more keys, while others use it. Its keys stay where they are; new ones go"
            + " to another slot table.")
final class GrowCommand extends FilterCommand {

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "N",
      converter = KeyCount.class,
      description = "Keys that it shall hold in all.")
  private long capacity;

  @Option(
      names = "--dry-run",
      description =
          "Print the statement that makes the next slot table instead; where it was run before, this"
              + " command needs no right to make tables.")
  private boolean dryRun;

  @Override
  int run(Session session, Output output) {
    if (dryRun) {
      output.println(session.withTables(() -> session.bloom().growSql(name())));
      return ExitCode.DONE;
    }
    session.withTables(() -> session.bloom().grow(name(), capacity));
    return ExitCode.DONE;
  }
}
