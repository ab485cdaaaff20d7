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
import io.github.slotbloom.cli.command.ExpireCommand;
import io.github.slotbloom.cli.command.ExportCommand;
import io.github.slotbloom.cli.command.FoldCommand;
import io.github.slotbloom.cli.command.FunctionCommand;
import io.github.slotbloom.cli.command.GrowCommand;
import io.github.slotbloom.cli.command.ImportCommand;
import io.github.slotbloom.cli.command.InfoCommand;
import io.github.slotbloom.cli.command.InspectCommand;
import io.github.slotbloom.cli.command.ListCommand;
import io.github.slotbloom.cli.command.MergeCommand;
import io.github.slotbloom.cli.command.MigrateCommand;
import io.github.slotbloom.cli.command.PlanCommand;
import io.github.slotbloom.cli.command.RemoveCommand;
import io.github.slotbloom.cli.command.RenameCommand;
import io.github.slotbloom.cli.command.ReportCommand;
import io.github.slotbloom.cli.command.RescueCommand;
import io.github.slotbloom.cli.command.RescuesCommand;
import io.github.slotbloom.cli.command.ReserveCommand;
import io.github.slotbloom.cli.command.RootCommand;
import io.github.slotbloom.cli.command.ServeCommand;
import io.github.slotbloom.cli.command.VerifyCommand;
import io.github.slotbloom.cli.connect.Account;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of the command line. */
public final class Main extends RootCommand {

  /** The help lists them in this order. */
  private static final List<Class<?>> COMMANDS =
      List.of(
          DedupCommand.class,
          ReserveCommand.class,
          AddCommand.class,
          RemoveCommand.class,
          ExistsCommand.class,
          RescueCommand.class,
          RescuesCommand.class,
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
          RenameCommand.class,
          ClearCommand.class,
          ExpireCommand.class,
          DropCommand.class,
          ServeCommand.class,
          MigrateCommand.class,
          PlanCommand.class,
          FunctionCommand.class,
          ClientCommand.class,
          CompletionCommand.class);

  Main(Surroundings surroundings, Termination termination) {
    super(surroundings, termination);
  }

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    quietLibraries();
    Termination termination = Termination.install();
    int exitCode = run(Surroundings.ofProcess(), termination, arguments);
    termination.finished();
    if (exitCode != ExitCode.DONE && exitCode != ExitCode.NO) {
      giveUpClassArchive();
    }
    System.exit(exitCode);
  }

  /**
   * Leaves it to another command to write the archive of classes that speeds up the launcher. A
   * command that failed has loaded few of them.
   */
  private static void giveUpClassArchive() {
    String mark = System.getProperty("slotbloom.classes");
    if (mark != null) {
      try {
        Files.deleteIfExists(Path.of(mark));
      } catch (IOException e) {
        // Commands then start as slowly as without an archive.
      }
    }
  }

  /** Runs one command and returns its exit code. */
  static int run(Surroundings surroundings, Termination termination, String... arguments) {
    Main root = new Main(surroundings, termination);
    try {
      return commandLine(root, surroundings, arguments).execute(arguments);
    } catch (Error e) {
      return root.failure(e);
    }
  }

  /** Returns what parses the arguments, or any arguments if there are none. */
  static CommandLine commandLine(Main root, Surroundings surroundings, String... arguments) {
    CommandLine line = new CommandLine(root);
    commands(arguments).forEach(line::addSubcommand);
    return line.setOut(new PrintWriter(surroundings.output(), true, UTF_8))
        // Allows a key to begin with '@'.
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(
            Help.defaultColorScheme(
                surroundings.terminal().colorsOnOutput() ? Help.Ansi.ON : Help.Ansi.OFF))
        .setParameterExceptionHandler((e, given) -> usageError(e, given, surroundings))
        .setExecutionExceptionHandler((failure, command, parsed) -> root.failure(failure));
  }

  /**
   * Returns the command that the first argument names, alone, because setting up all of them takes
   * a fifth of the time of a short command. Returns all if it names none, or the one that prints
   * what there is to complete.
   */
  private static List<Class<?>> commands(String... arguments) {
    String first = arguments.length == 0 ? "" : arguments[0];
    return COMMANDS.stream()
        .filter(command -> command != CompletionCommand.class)
        .filter(command -> command.getAnnotation(Command.class).name().equals(first))
        .findFirst()
        .<List<Class<?>>>map(List::of)
        .orElse(COMMANDS);
  }

  /**
   * Silences the libraries; the user reads our own messages instead. Must run before any library
   * loads.
   */
  private static void quietLibraries() {
    String logger = "org.slf4j.simpleLogger.";
    System.setProperty(logger + "defaultLogLevel", "warn");
    System.setProperty(logger + "showThreadName", "false");
    System.setProperty(logger + "showLogName", "false");
    System.setProperty(logger + "log.com.zaxxer.hikari", "off");
    System.setProperty(logger + "log.ch.vorburger", "off");
    System.setProperty(logger + "log.org.flywaydb", "off");
    // The narrator reports these events.
    System.setProperty(logger + "log.io.github.slotbloom", "error");
  }

  private static int usageError(
      ParameterException e, String[] arguments, Surroundings surroundings) {
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
        // The value may be a password in the wrong place, so the message does not repeat it.
        return ask + " takes no value; it prompts on the terminal";
      }
    }
    if (e instanceof UnmatchedArgumentException unmatched
        && e.getCommandLine().getParent() == null
        && !unmatched.isUnknownOption()) {
      String meant =
          unmatched.getSuggestions().stream()
              .filter(suggestion -> !suggestion.startsWith("-"))
              .findFirst()
              .map(command -> "; did you mean " + command + "?")
              .orElse("");
      return "There is no command '" + unmatched.getUnmatched().get(0) + "'" + meant;
    }
    // Some messages of picocli begin with this.
    String message =
        Wording.oneLine(e.getMessage())
            .replaceFirst("^Error: ", "")
            .replaceFirst("is not an? (int|long)$", "is not a whole number");
    return e instanceof UnmatchedArgumentException unmatched
            && unmatched.isUnknownOption()
            && takesKeys(e.getCommandLine())
        ? message + "; put -- before a key that begins with a hyphen"
        : message;
  }

  private static boolean takesKeys(CommandLine command) {
    return command.getCommandSpec().positionalParameters().stream()
        .anyMatch(parameter -> parameter.paramLabel().startsWith("KEY"));
  }
}
