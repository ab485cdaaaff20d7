package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.core.FilterName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "merge",
    customSynopsis = "slotbloom merge [OPTION...] NAME [into] TARGET",
    description = {
      "Add all keys of a filter to another one while both are in use.",
      "Both must have the same parameters. Repeating the command does no harm."
    })
public final class MergeCommand extends FilterCommand {

  @Parameters(
      index = "1",
      arity = "1..2",
      paramLabel = "[into] TARGET",
      description = "Name of the filter that receives the keys.")
  private List<String> rest = new ArrayList<>();

  private String target = "";

  /**
   * Checks the arguments. A filter may be named "into": the word is a keyword only before a name.
   */
  @Override
  void prepare() {
    boolean word = rest.size() == 2 && rest.get(0).toLowerCase(Locale.ROOT).equals("into");
    if (rest.size() == 2 && !word) {
      throw new UsageException(
          "Write merge " + filter() + " into TARGET, not " + String.join(" ", rest) + ".");
    }
    target = new FilterName(rest.get(rest.size() - 1)).value();
  }

  @Override
  int run(Session session, Output output) {
    session.withTables(() -> session.bloom().admin(name()).mergeInto(target));
    return ExitCode.DONE;
  }
}
