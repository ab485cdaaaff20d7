package io.github.slotbloom.cli.command;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.Counts;
import io.github.slotbloom.cli.line.Effect;
import io.github.slotbloom.cli.line.Inputs;
import io.github.slotbloom.cli.line.KeyField;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.cli.line.LineAnswerer;
import io.github.slotbloom.cli.line.LinePipeline;
import io.github.slotbloom.cli.line.LineProgress;
import io.github.slotbloom.cli.line.NewLines;
import io.github.slotbloom.cli.line.Separator;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.StatusLine;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.FalsePositiveRate;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.cli.text.WindowText;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "dedup",
    description = {
      "Print each line whose key was not seen before, in this run or any earlier one, and record"
          + " the keys.",
      "Lines end with a line feed only and are printed byte for byte. An empty line has an empty"
          + " key; with --key-field it has no key. Lines without a key are always printed, other"
          + " lines once their key is durable."
    })
public final class DedupCommand extends FilterCommand {

  /**
   * The default false positive rate. It is lower than elsewhere, because each false positive loses
   * a line.
   */
  private static final double DEFAULT_RATE = 1e-6;

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      description = "Files to read; - is standard input. Default: standard input.")
  private List<String> files = new ArrayList<>();

  @Mixin private final KeyFieldOptions keyFieldOptions = new KeyFieldOptions();
  @Mixin private final KeyOptions keyOptions = new KeyOptions();
  @Mixin private final Separator separator = new Separator();

  @Option(
      names = "--capacity",
      paramLabel = "N",
      converter = KeyCount.class,
      description =
          "Capacity of a new filter in distinct keys. Plan for 20 %% more than you expect.")
  private @Nullable Long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = FalsePositiveRate.class,
      description =
          "False positive rate of a new filter when it is full: the share of new lines that are"
              + " lost. Default: 1e-6.")
  private @Nullable Double falsePositiveRate;

  @Option(
      names = "--on-full",
      paramLabel = "WHAT",
      converter = ChoiceName.OfOnFull.class,
      completionCandidates = ChoiceName.OnFulls.class,
      description =
          "What a new filter does when it is full. grow (the default): it doubles its capacity;"
              + " refuse: the command ends with exit code 4; degrade: it loses more and more"
              + " lines.")
  private OnFull onFull = OnFull.GROW;

  @Mixin private final RemovableOption removableOption = new RemovableOption();

  @ArgGroup(exclusive = false)
  private WindowOptions windowOptions = new WindowOptions();

  @Mixin private final FoldOption foldOption = new FoldOption();

  @Option(names = "--json", description = "Print the summary on standard error as JSON.")
  private boolean json;

  private KeyField key = KeyField.WHOLE_LINE;
  private Inputs inputs = Inputs.STANDARD_INPUT;

  @Override
  void prepare() {
    key = keyFieldOptions.field();
    inputs = Inputs.of(files, takesHyphenLiterally());
    inputs.requireReadable();
    if (capacity != null) {
      FilterSpec<?> unused = spec(keyOptions.format(), capacity);
    } else {
      Optional<Window> unused = windowOptions.window();
    }
  }

  @Override
  boolean acknowledgesKeys() {
    return true;
  }

  @Override
  int run(Session session, Output output) throws InterruptedException {
    return run(session, keyOptions.format(), output);
  }

  private <K> int run(Session session, KeyFormat<K> format, Output output)
      throws InterruptedException {
    long begin = System.nanoTime();
    boolean inaccurate;
    Counts counts;
    try (BloomFilter<K> filter =
        inMemoryIfItFits(session.options(), options -> open(session, format, options))) {
      inaccurate = AccuracyWarning.of(session.bloom(), filter, messages());
      if (surroundings().terminal().isInput() && inputs.includeStandardInput()) {
        messages().notice("Reading lines from the terminal; Ctrl-D ends the input.");
      }
      LinePipeline pipeline =
          new LinePipeline(
              inputs,
              surroundings().input(),
              separator.value(),
              new LineAnswerer<>(key, format, Effect.RECORDED, filter::addEach),
              new NewLines(output, separator.value()),
              output);
      termination().stopWith(pipeline::stop);
      counts = pipeline.counts();
      try (StatusLine status =
          new StatusLine(surroundings(), new LineProgress(counts, inputs.size())::inWords)) {
        status.start();
        pipeline.run();
      }
      if (!inaccurate) {
        inaccurate = AccuracyWarning.of(session.bloom(), filter, messages());
      }
    }
    counts.hint().ifPresent(messages()::notice);
    try {
      writeSlots(session, counts.yes(), output);
    } finally {
      summarize(counts, termination().requested(), (System.nanoTime() - begin) / 1e9);
    }
    return inaccurate ? ExitCode.INACCURATE : ExitCode.DONE;
  }

  /** Brings the slots up to date, unless there are so many new keys that it would take long. */
  private void writeSlots(Session session, long newKeys, Output output) {
    SlotWriting slots = new SlotWriting(session, name(), surroundings(), termination());
    if (foldOption.given()) {
      output.close();
    }
    if (foldOption.given() || newKeys <= SlotWriting.FEW_KEYS) {
      slots.writeAllAfterwards();
    } else {
      slots.noticeOfRest();
    }
  }

  private <K> BloomFilter<K> open(Session session, KeyFormat<K> format, FilterOptions options) {
    try {
      return capacity == null
          ? openExisting(session, format, options)
          : session.makingTables(() -> openExisting(session, format, options));
    } catch (FilterNotFoundException e) {
      if (capacity != null) {
        if (e.isExpired()) {
          messages().notice("Filter " + filter() + " has expired; an empty one replaces it.");
        }
        return openOrReserve(session, format, capacity, options);
      }
      throw e.isExpired()
          ? e
          : new UsageException(
              "There is no filter "
                  + filter()
                  + " yet; add --capacity N to create it with a capacity of N keys.",
              e);
    }
  }

  private <K> BloomFilter<K> openOrReserve(
      Session session, KeyFormat<K> format, long keys, FilterOptions options) {
    FilterSpec<K> spec = spec(format, keys);
    try {
      return session.makingTables(() -> session.bloom().openOrReserve(name(), spec, options));
    } catch (FilterMismatchException e) {
      // Others made it this very moment, with choices that this command has no options for. Only
      // the given options must match.
      return openExisting(session, format, options);
    }
  }

  private <K> FilterSpec<K> spec(KeyFormat<K> format, long keys) {
    FilterSpec.Builder<K> spec =
        FilterSpec.builder(format.type())
            .capacity(keys)
            .falsePositiveRate(falsePositiveRate == null ? DEFAULT_RATE : falsePositiveRate)
            .onFull(onFull);
    windowOptions.applyTo(spec);
    return removableOption.build(spec);
  }

  /** Opens an existing filter if it has what the given options ask for. */
  private <K> BloomFilter<K> openExisting(
      Session session, KeyFormat<K> format, FilterOptions options) {
    BloomFilter<K> filter = KeyOptions.open(session, name(), format, options);
    try {
      requireAsAskedFor(session, filter);
      return filter;
    } catch (RuntimeException e) {
      filter.close();
      throw e;
    }
  }

  private void requireAsAskedFor(Session session, BloomFilter<?> filter) {
    if (capacity == null
        && falsePositiveRate == null
        && !removableOption.given()
        && !windowOptions.given()) {
      return;
    }
    FilterInfo stored = session.bloom().info(filter.name());
    // The buckets of a window are sized by what came into those before.
    if (capacity != null
        && stored.window().isEmpty()
        && capacity != stored.capacity()
        && capacity != stored.generations().get(0).capacity()) {
      throw other(
          "--capacity " + capacity,
          String.format(Locale.ROOT, "with a capacity of %,d keys", stored.capacity()),
          capacity < stored.capacity()
              ? ""
              : ", or raise its capacity: slotbloom grow " + filter() + " --capacity " + capacity);
    }
    if (falsePositiveRate != null && falsePositiveRate != stored.falsePositiveRate()) {
      throw other(
          "--fpp " + falsePositiveRate,
          "with a false positive rate of " + stored.falsePositiveRate());
    }
    if (removableOption.given() && !stored.removable()) {
      throw other("--removable", "without it");
    }
    if (!windowOptions.agreesWith(stored.window())) {
      throw other(
          windowOptions.text(),
          stored
              .window()
              .map(window -> "with a window of " + WindowText.of(window))
              .orElse("without a window"));
    }
  }

  private CommandException other(String given, String stored) {
    return other(given, stored, "");
  }

  private CommandException other(String given, String stored, String orElse) {
    return new CommandException(
        "Filter "
            + filter()
            + " was created "
            + stored
            + ", and "
            + given
            + " was given; omit it to use the filter as it is, or use another name"
            + orElse
            + ".",
        null);
  }

  private void summarize(Counts counts, boolean interrupted, double seconds) {
    if (json) {
      messages().line(Json.of(summary(counts, interrupted, seconds)));
      return;
    }
    messages()
        .notice(
            String.format(
                Locale.ROOT,
                "%s: %s%,d %s read, %,d printed, %,d seen before, %,d without a key, %.1f s",
                filter(),
                interrupted ? "interrupted; " : "",
                counts.lines(),
                counts.lines() == 1 ? "line" : "lines",
                counts.yes() + counts.withoutKey(),
                counts.no(),
                counts.withoutKey(),
                seconds));
  }

  private Map<String, Object> summary(Counts counts, boolean interrupted, double seconds) {
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("filter", name());
    summary.put("interrupted", interrupted);
    summary.put("linesRead", counts.lines());
    summary.put("printed", counts.yes() + counts.withoutKey());
    summary.put("seenBefore", counts.no());
    summary.put("withoutKey", counts.withoutKey());
    summary.put("seconds", Math.round(seconds * 1000) / 1000.0);
    return summary;
  }
}
