package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Effect;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.core.FilterName;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "remove",
    description = {
      "Remove keys and print a line for each: 1 if the key was removed or 0 if it was not in the"
          + " filter, a tab, and the key.",
      "Only filters created with --removable allow this."
    })
public final class RemoveCommand extends KeysCommand {

  @Mixin private final FoldOption foldOption = new FoldOption();

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    if (filter instanceof RemovableFilter<K> removable) {
      return removable.removeEach(keys);
    }
    throw new CommandException(
        ExitCode.USAGE,
        ("Keys cannot be removed from filter %s: it was created without --removable. Nothing was"
                + " removed. Create another filter with slotbloom reserve NAME --capacity N"
                + " --removable, and add the keys to it.")
            .formatted(new FilterName(filter.name())),
        null);
  }

  @Override
  Effect effect() {
    return Effect.REMOVED;
  }

  @Override
  void atEnd(Session session, Output output) {
    foldOption.foldAtEnd(this, session, output);
  }

  @Override
  int exitCode(boolean arguments, boolean allYes) {
    return ExitCode.DONE;
  }
}
