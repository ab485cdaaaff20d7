package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.cli.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "exists",
    description = {
      "Ask for keys; print each after 1 and a tab if it may have been added, after 0 and a tab if"
          + " it certainly was not.",
      "With keys as arguments the exit code is 0 if all may have been added, and 3 otherwise."
    })
public final class ExistsCommand extends KeysCommand {

  @Option(names = "--exit-code", description = "Say it by the exit code for lines as well.")
  private boolean byExitCode;

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    return filter.mightContainEach(keys);
  }

  @Override
  boolean recording() {
    return false;
  }

  @Override
  int exitCode(boolean arguments, boolean allYes) {
    return (arguments || byExitCode) && !allYes ? ExitCode.NO : ExitCode.DONE;
  }
}
