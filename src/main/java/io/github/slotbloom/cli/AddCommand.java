package io.github.slotbloom.cli;

import io.github.slotbloom.BloomFilter;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "add",
    description =
        "Add keys; print each after 1 and a tab if it was new, after 0 and a tab if it was seen.")
final class AddCommand extends KeysCommand {

  @Override
  boolean[] ask(BloomFilter<byte[]> filter, List<byte[]> keys) {
    return filter.addEach(keys);
  }
}
