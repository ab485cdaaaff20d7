package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The base of all commands that work on one filter. */
abstract class FilterCommand extends DatabaseCommand {

  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "Name of the filter: any text of 1 to 200 characters.")
  private String name = "";

  private @Nullable FilterName filter;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @Spec
  private CommandSpec spec;

  /** Rejects an invalid name before a database is made or reached, and then runs the command. */
  @Override
  public final Integer call() throws Exception {
    filter = new FilterName(name);
    return super.call();
  }

  final String name() {
    return name;
  }

  /** Returns the name as messages show it. */
  final FilterName filter() {
    return Objects.requireNonNull(filter);
  }

  /** Opens the filter with its bits in memory, or without, if this process cannot hold them. */
  final <K> BloomFilter<K> inMemoryIfItFits(
      FilterOptions options, Function<FilterOptions, BloomFilter<K>> opener) {
    try {
      return opener.apply(options);
    } catch (MirrorTooLargeException e) {
      messages()
          .notice(
              "Filter "
                  + filter
                  + " is too large for the memory of this process, so each batch of keys takes a"
                  + " query of the database, which is slower. A larger heap avoids that:"
                  + " JDK_JAVA_OPTIONS=-Xmx4g.");
      return opener.apply(options.withoutMirror());
    }
  }

  /** Returns the longest names of this command's options that the user gave. */
  final Set<String> given() {
    return spec.commandLine().getParseResult().matchedOptions().stream()
        .filter(option -> !option.inherited())
        .map(OptionSpec::longestName)
        .collect(Collectors.toSet());
  }

  /** Returns the line width of the terminal in characters, as help texts use it. */
  final int terminalWidth() {
    return spec.root().usageMessage().width();
  }

  /** Returns true if {@code --} was given. After it, {@code -} is an ordinary name or key. */
  final boolean takesHyphenLiterally() {
    return spec.commandLine().getParseResult().originalArgs().contains("--");
  }
}
