package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.cli.ExitCode;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "add",
    description =
        "Add keys; print each after 1 and a tab if it was new, after 0 and a tab if it was seen.")
public final class AddCommand extends KeysCommand {

  @Override
  <K> boolean[] ask(BloomFilter<K> filter, List<K> keys) {
    return filter.addEach(keys);
  }

  @Override
  FilterOptions options(FilterOptions defaults) {
    return defaults;
  }

  @Override
  boolean recording() {
    return true;
  }

  @Override
  void afterwards(BloomFilter<?> filter) {
    AccuracyWarning.of(filter, messages());
  }

  @Override
  int exitCode(boolean arguments, boolean allYes) {
    return ExitCode.DONE;
  }
}
