package io.github.slotbloom.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line's entry point. */
@Command(
    name = "slotbloom",
    description = "Bloom filters that live in MySQL: remembers which keys were seen.",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DedupCommand.class,
      ReserveCommand.class,
      AddCommand.class,
      ExistsCommand.class,
      InfoCommand.class,
      ListCommand.class,
      FoldCommand.class,
      GrowCommand.class,
      ExportCommand.class,
      ImportCommand.class,
      CopyCommand.class,
      MergeCommand.class,
      CompareCommand.class,
      ClearCommand.class,
      DropCommand.class,
      MigrateCommand.class,
      PlanCommand.class,
      ClientCommand.class,
      CompletionCommand.class
    },
    sortOptions = false,
    usageHelpAutoWidth = true)
public final class Main {

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the causes of an error.")
  private boolean verbose;

  private final Termination termination;

  private Main(Termination termination) {
    this.termination = termination;
  }

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    quietLibraries();
    Termination termination = Termination.install();
    Main main = new Main(termination);
    int exitCode;
    try {
      exitCode = commandLine(main).execute(arguments);
    } catch (Error e) {
      exitCode = main.failure(e);
    }
    termination.finished();
    System.exit(exitCode);
  }

  DatabaseOptions database() {
    return database;
  }

  Termination termination() {
    return termination;
  }

  private static CommandLine commandLine(Main main) {
    return new CommandLine(main)
        // A key may begin with '@'.
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(
            Help.defaultColorScheme(Terminal.coloursOnOutput() ? Help.Ansi.ON : Help.Ansi.OFF))
        .setParameterExceptionHandler(Main::usageError)
        .setExecutionExceptionHandler((failure, command, parsed) -> main.failure(failure));
  }

  /** Set before any library is loaded. What goes wrong reaches the user as our own message. */
  private static void quietLibraries() {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    String logger = "org.slf4j.simpleLogger.";
    System.setProperty(logger + "defaultLogLevel", "warn");
    System.setProperty(logger + "showThreadName", "false");
    System.setProperty(logger + "showLogName", "false");
    System.setProperty(logger + "log.com.zaxxer.hikari", "off");
    System.setProperty(logger + "log.ch.vorburger", "off");
    System.setProperty(logger + "log.org.flywaydb", "off");
    // Told by the narrator.
    System.setProperty(logger + "log.io.github.slotbloom", "error");
  }

  private static int usageError(ParameterException e, String[] arguments) {
    Messages.error(
        describe(e, List.of(arguments))
            + " (try: "
            + e.getCommandLine().getCommandSpec().qualifiedName()
            + " --help)");
    return ExitCode.USAGE;
  }

  private static String describe(ParameterException e, List<String> arguments) {
    for (Account account : Account.values()) {
      String ask = account.password();
      boolean passwordMeant =
          arguments.stream().anyMatch(argument -> argument.startsWith(ask + "="))
              || (arguments.contains(ask) && e instanceof UnmatchedArgumentException);
      if (passwordMeant) {
        // What was put where no password belongs is not repeated.
        return ask + " takes no value, it asks on the terminal";
      }
    }
    if (e instanceof UnmatchedArgumentException unmatched
        && e.getCommandLine().getParent() == null
        && !unmatched.isUnknownOption()) {
      return "There is no command '" + unmatched.getUnmatched().get(0) + "'";
    }
    // picocli begins some of its messages so.
    return Messages.oneLine(e.getMessage()).replaceFirst("^Error: ", "");
  }

  /** Tells what made a command fail, and returns the exit code that says so. */
  int failure(Throwable failure) {
    int exitCode = ExitCode.of(failure);
    if (!termination.requested() && exitCode != ExitCode.READER_LEFT) {
      Messages.failure(failure, verbose);
    }
    return exitCode;
  }
}
