package io.github.slotbloom.cli;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "dedup",
    description = {
      "Print each line whose key was not seen before, in any run, and remember the keys.",
      "Lines end with a line feed alone, and are printed as the bytes that came. A line is printed"
          + " only when its key is durable."
    })
final class DedupCommand extends FilterCommand {

  /** Smaller than elsewhere: a false positive is a line that is lost. */
  private static final double DEFAULT_RATE = 1e-6;

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      description = "Files to read, - being standard input. Without any, standard input.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = "--key-field",
      paramLabel = "N",
      description =
          "The key is field N, counted from 1 and separated by spaces and tabs as in awk. Lines"
              + " without it are printed. Default: the key is the whole line.")
  private @Nullable Integer keyField;

  @Option(
      names = "--capacity",
      paramLabel = "N",
      converter = KeyCount.class,
      description = "How many distinct keys a new filter is for. Leave a fifth of room.")
  private @Nullable Long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = ErrorRate.class,
      description =
          "How many of the new lines may be lost when a new filter is full. Default: 1e-6.")
  private @Nullable Double falsePositiveRate;

  @Override
  int run(Session session, Output output) throws InterruptedException {
    KeyField key = new KeyField(keyField);
    Inputs inputs = Inputs.of(files);
    inputs.requireReadable();
    long begin = System.nanoTime();
    try (BloomFilter<byte[]> filter = open(session)) {
      if (inputs.readsTerminal()) {
        Messages.notice("Reading lines from the terminal; Ctrl-D ends them.");
      }
      LinePipeline pipeline =
          new LinePipeline(inputs, key, filter::addEach, new NewLines(output), output);
      termination().stopWith(pipeline::stop);
      try (StatusLine status = new StatusLine(pipeline.counts(), inputs.size())) {
        status.start();
        pipeline.run();
        // Who is told to end does not wait for what can be done later.
        if (!termination().requested()) {
          status.last("Writing the slots ...");
          filter.fold();
        }
      }
      summarize(pipeline.counts(), (System.nanoTime() - begin) / 1e9);
    }
    return ExitCode.DONE;
  }

  private BloomFilter<byte[]> open(Session session) {
    if (capacity == null) {
      return openExisting(session);
    }
    FilterSpec<byte[]> wanted =
        FilterSpec.builder(Keys.TYPE)
            .capacity(capacity)
            .falsePositiveRate(falsePositiveRate == null ? DEFAULT_RATE : falsePositiveRate)
            .build();
    try {
      return session.makingTables(
          () -> session.bloom().openOrReserve(name(), wanted, FilterOptions.defaults()));
    } catch (FilterMismatchException e) {
      // Made with choices that this command has no options for: only what was given has to match.
      return openExisting(session);
    }
  }

  /** Opens what is there, as long as it has the capacity and the rate that were asked for. */
  private BloomFilter<byte[]> openExisting(Session session) {
    try {
      if (capacity == null && falsePositiveRate == null) {
        return session.makingTables(() -> session.bloom().open(name(), Keys.TYPE));
      }
      FilterInfo stored = session.makingTables(() -> session.bloom().info(name()));
      return session.bloom().open(name(), expected(stored), FilterOptions.defaults());
    } catch (FilterNotFoundException e) {
      throw new UsageException(
          "There is no filter '" + name() + "' yet; give --capacity N to make it for N keys.", e);
    }
  }

  private FilterSpec<byte[]> expected(FilterInfo stored) {
    FilterSpec.Builder<byte[]> spec =
        FilterSpec.builder(Keys.TYPE)
            .capacity(capacity == null ? stored.capacity() : capacity)
            .falsePositiveRate(
                falsePositiveRate == null ? stored.falsePositiveRate() : falsePositiveRate)
            .layout(stored.layout())
            .hash(HashAlgorithm.byId(stored.hash()))
            .seed(stored.seed())
            .writeMode(stored.writeMode());
    return stored.growable() ? spec.build() : spec.fixed().build();
  }

  private void summarize(Counts counts, double seconds) {
    Messages.notice(
        String.format(
            Locale.ROOT,
            "%s: %,d lines read, %,d printed, %,d seen before, %,d without a key, %.1f s",
            name(),
            counts.lines(),
            counts.yes() + counts.withoutKey(),
            counts.no(),
            counts.withoutKey(),
            seconds));
  }
}
