package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Effect;
import io.github.slotbloom.cli.terminal.Output;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "add",
    description =
        "Add keys and print a line for each: 1 if the key is new or 0 if it was seen, a tab, and"
            + " the key.")
public final class AddCommand extends KeysCommand {

  @Mixin private final FoldOption foldOption = new FoldOption();

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    return filter.addEach(keys);
  }

  @Override
  Effect effect() {
    return Effect.RECORDED;
  }

  @Override
  void afterwards(Session session, BloomFilter<?> filter) {
    AccuracyWarning.of(session.bloom(), filter, messages());
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
