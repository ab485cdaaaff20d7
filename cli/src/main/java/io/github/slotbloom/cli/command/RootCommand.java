package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.FailureCode;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.Termination;
import io.github.slotbloom.cli.Version;
import io.github.slotbloom.cli.connect.DatabaseOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The root of all commands. It holds the options that every command takes. */
@Command(
    name = "slotbloom",
    description = "Bloom filters that live in MySQL.",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true)
public class RootCommand {

  @Mixin private final DatabaseOptions database;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the causes of errors.")
  private boolean verbose;

  private final Surroundings surroundings;
  private final Termination termination;

  protected RootCommand(Surroundings surroundings, Termination termination) {
    this.surroundings = surroundings;
    this.termination = termination;
    database = new DatabaseOptions(surroundings);
  }

  DatabaseOptions database() {
    return database;
  }

  Surroundings surroundings() {
    return surroundings;
  }

  Termination termination() {
    return termination;
  }

  /** Tells the user why a command failed, and returns the matching exit code. */
  public int failure(Throwable failure) {
    int exitCode = FailureCode.of(failure);
    if (!termination.requested() && exitCode != ExitCode.READER_LEFT) {
      surroundings.messages().failure(failure, verbose);
    }
    return exitCode;
  }
}
