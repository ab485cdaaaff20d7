package io.github.slotbloom.cli;

import io.github.slotbloom.BloomFilter;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "exists",
    description =
        "Ask for keys; print each after 1 and a tab if it may have been added, after 0 and a tab if"
            + " it certainly was not.")
final class ExistsCommand extends KeysCommand {

  @Override
  boolean[] ask(BloomFilter<byte[]> filter, List<byte[]> keys) {
    return filter.mightContainEach(keys);
  }
}
