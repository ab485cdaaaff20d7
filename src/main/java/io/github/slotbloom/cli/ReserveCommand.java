package io.github.slotbloom.cli;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "reserve", description = "Make a filter.")
final class ReserveCommand extends FilterCommand {

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "N",
      converter = KeyCount.class,
      description = "How many distinct keys it is for. Leave a fifth of room.")
  private long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = ErrorRate.class,
      description =
          "How many of the keys that were never added may look as if they had been, when the"
              + " filter is full. Default: ${DEFAULT-VALUE}.")
  private double falsePositiveRate = FilterSpec.DEFAULT_FALSE_POSITIVE_RATE;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      converter = ChoiceName.OfLayout.class,
      description =
          "blocked (the default): all bits of a key are neighbours; standard: anywhere, for"
              + " somewhat fewer bits.")
  private Layout layout = Layout.BLOCKED;

  @Option(names = "--fixed", description = "Leave no room in the error rate for growing later.")
  private boolean fixed;

  @Option(
      names = "--write-mode",
      paramLabel = "MODE",
      converter = ChoiceName.OfWriteMode.class,
      description =
          "deferred (the default): slots are written in the background; write-through: by each"
              + " add.")
  private WriteMode writeMode = WriteMode.DEFERRED;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the hash function. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--print-sql",
      description =
          "Print the statement that makes the filter's table instead; where it was run before, this"
              + " command needs no right to make tables.")
  private boolean printSql;

  @Override
  int run(Session session, Output output) {
    if (printSql) {
      output.println(session.makingTables(() -> session.bloom().reserveSql(name())));
      return ExitCode.DONE;
    }
    FilterSpec.Builder<byte[]> spec =
        FilterSpec.builder(Keys.TYPE)
            .capacity(capacity)
            .falsePositiveRate(falsePositiveRate)
            .layout(layout)
            .writeMode(writeMode)
            .seed(seed);
    if (fixed) {
      spec.fixed();
    }
    session
        .makingTables(
            () ->
                session
                    .bloom()
                    .reserve(name(), spec.build(), FilterOptions.defaults().withoutMirror()))
        .close();
    return ExitCode.DONE;
  }
}
