package io.github.slotbloom.cli.command;

import io.github.slotbloom.core.FilterName;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What the commands share that are about one filter. */
abstract class FilterCommand extends DatabaseCommand {

  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "Name of the filter: a-z, 0-9 and _, beginning with a letter.")
  private String name = "";

  @SuppressWarnings("NullAway.Init") // picocli sets it before it calls.
  @Spec
  private CommandSpec spec;

  /** A name that is none is told before a database is made or reached for it. */
  @Override
  public final Integer call() throws Exception {
    FilterName unused = new FilterName(name);
    return super.call();
  }

  final String name() {
    return name;
  }

  /** The options of this command that were given, by their longest names. */
  final Set<String> given() {
    return spec.commandLine().getParseResult().matchedOptions().stream()
        .filter(option -> !option.inherited())
        .map(OptionSpec::longestName)
        .collect(Collectors.toSet());
  }

  /** How many characters a line of the terminal has, as help texts ask for it. */
  final int terminalWidth() {
    return spec.root().usageMessage().width();
  }

  /** Whether {@code --} was given, after which {@code -} is a name or a key like any other. */
  final boolean takesHyphenLiterally() {
    return spec.commandLine().getParseResult().originalArgs().contains("--");
  }
}
