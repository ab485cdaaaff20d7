package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.command.AddCommand;
import io.github.slotbloom.cli.command.ClearCommand;
import io.github.slotbloom.cli.command.ClientCommand;
import io.github.slotbloom.cli.command.CompareCommand;
import io.github.slotbloom.cli.command.CompletionCommand;
import io.github.slotbloom.cli.command.CopyCommand;
import io.github.slotbloom.cli.command.DedupCommand;
import io.github.slotbloom.cli.command.DropCommand;
import io.github.slotbloom.cli.command.ExistsCommand;
import io.github.slotbloom.cli.command.ExportCommand;
import io.github.slotbloom.cli.command.FoldCommand;
import io.github.slotbloom.cli.command.GrowCommand;
import io.github.slotbloom.cli.command.ImportCommand;
import io.github.slotbloom.cli.command.InfoCommand;
import io.github.slotbloom.cli.command.InspectCommand;
import io.github.slotbloom.cli.command.ListCommand;
import io.github.slotbloom.cli.command.MergeCommand;
import io.github.slotbloom.cli.command.MigrateCommand;
import io.github.slotbloom.cli.command.PlanCommand;
import io.github.slotbloom.cli.command.ReportCommand;
import io.github.slotbloom.cli.command.ReserveCommand;
import io.github.slotbloom.cli.command.SqlCommand;
import io.github.slotbloom.cli.command.VerifyCommand;
import io.github.slotbloom.cli.connect.Account;
import io.github.slotbloom.cli.connect.DatabaseOptions;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.PrintWriter;
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
      InspectCommand.class,
      ReportCommand.class,
      VerifyCommand.class,
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
      SqlCommand.class,
      ClientCommand.class,
      CompletionCommand.class
    },
    sortOptions = false,
    usageHelpAutoWidth = true)
public final class Main {

  @Mixin private final DatabaseOptions database;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the causes of an error.")
  private boolean verbose;

  private final Surroundings surroundings;
  private final Termination termination;

  private Main(Surroundings surroundings, Termination termination) {
    this.surroundings = surroundings;
    this.termination = termination;
    database = new DatabaseOptions(surroundings);
  }

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    quietLibraries();
    Termination termination = Termination.install();
    int exitCode = run(Surroundings.ofProcess(), termination, arguments);
    termination.finished();
    System.exit(exitCode);
  }

  /** Runs one command, and returns its exit code. */
  static int run(Surroundings surroundings, Termination termination, String... arguments) {
    Main main = new Main(surroundings, termination);
    try {
      return main.commandLine().execute(arguments);
    } catch (Error e) {
      return main.failure(e);
    }
  }

  public DatabaseOptions database() {
    return database;
  }

  public Surroundings surroundings() {
    return surroundings;
  }

  public Termination termination() {
    return termination;
  }

  private CommandLine commandLine() {
    return new CommandLine(this)
        .setOut(new PrintWriter(surroundings.output(), true, UTF_8))
        // A key may begin with '@'.
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(
            Help.defaultColorScheme(
                surroundings.terminal().coloursOnOutput() ? Help.Ansi.ON : Help.Ansi.OFF))
        .setParameterExceptionHandler(this::usageError)
        .setExecutionExceptionHandler((failure, command, parsed) -> failure(failure));
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
    // MariaDB before 11 introduces itself as 5.5.5.
    System.setProperty(
        logger + "log.org.jooq.impl.DefaultExecuteContext.logVersionSupport", "error");
    System.setProperty(logger + "log.ch.vorburger", "off");
    System.setProperty(logger + "log.org.flywaydb", "off");
    // Told by the narrator.
    System.setProperty(logger + "log.io.github.slotbloom", "error");
  }

  private int usageError(ParameterException e, String[] arguments) {
    surroundings
        .messages()
        .error(
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
    return Wording.oneLine(e.getMessage()).replaceFirst("^Error: ", "");
  }

  /** Tells what made a command fail, and returns the exit code that says so. */
  public int failure(Throwable failure) {
    int exitCode = FailureCode.of(failure);
    if (!termination.requested() && exitCode != ExitCode.READER_LEFT) {
      surroundings.messages().failure(failure, verbose);
    }
    return exitCode;
  }
}
