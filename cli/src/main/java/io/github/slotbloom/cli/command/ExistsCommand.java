package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Effect;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "exists",
    description = {
      "Look up keys and print a line for each: 1 if the key may have been added or 0 if it"
          + " certainly was not, a tab, and the key.",
      "With keys as arguments, the exit code is 0 if all of them may have been added, otherwise 3."
    })
public final class ExistsCommand extends KeysCommand {

  @Option(
      names = "--exit-code",
      description = "Set this exit code for keys from standard input too.")
  private boolean byExitCode;

  @Option(
      names = "--unless-rescued",
      description = "Answer 0 for rescued keys too, as a block list does.")
  private boolean unlessRescued;

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    return unlessRescued ? filter.blockList().isBlockedEach(keys) : filter.mightContainEach(keys);
  }

  @Override
  Effect effect() {
    return Effect.NONE;
  }

  @Override
  void afterwards(Session session, BloomFilter<?> filter) {
    AccuracyWarning.of(session.bloom(), filter, messages());
  }

  @Override
  int exitCode(boolean arguments, boolean allYes) {
    return (arguments || byExitCode) && !allYes ? ExitCode.NO : ExitCode.DONE;
  }
}
