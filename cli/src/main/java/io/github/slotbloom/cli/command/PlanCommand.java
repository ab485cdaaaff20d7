package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.cli.text.ByteCount;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.FalsePositiveRate;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.cli.text.WindowText;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.InvalidParameterException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "plan",
    description = {
      "Print the memory and disk that a filter would need in each layout, and its false positive"
          + " rate as it fills. Needs no database.",
      "Slot table sizes are estimates for a full table in InnoDB."
    })
public final class PlanCommand implements Callable<Integer> {

  private static final List<Integer> PERCENTAGES = List.of(50, 80, 100, 150, 200, 300);

  /** The most rows that the first fold of a table writes in order. */
  private static final long FILLED_AT_ONCE = 1 << 20;

  /**
   * The size of a slot in bytes when rows are written in order. Measured with data_length of
   * information_schema.tables in MySQL 9.7 with 156,000 slots. A row has 34 bytes.
   */
  private static final long BYTES_PER_SLOT = 44;

  /**
   * The largest size of a slot in bytes when rows come in between others. With batches of 20,000
   * keys, 57 to 71 bytes were measured.
   */
  private static final long MOST_BYTES_PER_SLOT = 71;

  @Option(
      names = "--capacity",
      required = true,
      paramLabel = "N",
      converter = KeyCount.class,
      description = "Capacity in distinct keys.")
  private long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = FalsePositiveRate.class,
      description = "False positive rate at capacity. Default: ${DEFAULT-VALUE}.")
  private double falsePositiveRate = FilterSpec.DEFAULT_FALSE_POSITIVE_RATE;

  @Option(
      names = "--fixed",
      description =
          "Spend the whole false positive rate on the first generation, which takes fewer bits. The"
              + " filter can then never grow.")
  private boolean fixed;

  @ArgGroup(exclusive = false)
  private WindowOptions windowOptions = new WindowOptions();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @Override
  public Integer call() {
    Map<Layout, Plan> plans = new LinkedHashMap<>();
    List<InvalidParameterException> impossible = new ArrayList<>();
    for (Layout layout : List.of(Layout.BLOCKED, Layout.STANDARD)) {
      try {
        plans.put(layout, plan(layout));
      } catch (InvalidParameterException e) {
        impossible.add(e);
      }
    }
    if (plans.isEmpty()) {
      throw impossible.get(0);
    }
    impossible.forEach(e -> root.surroundings().messages().notice(Wording.oneLine(e.getMessage())));
    Output output = new Output(root.surroundings().output());
    if (json) {
      output.println(Json.of(asMap(plans)));
    } else {
      print(output, plans);
    }
    output.flush();
    return ExitCode.DONE;
  }

  private Plan plan(Layout layout) {
    FilterSpec.Builder<Long> spec =
        FilterSpec.builder(KeyType.longs())
            .capacity(capacity)
            .falsePositiveRate(falsePositiveRate)
            .layout(layout);
    windowOptions.applyTo(spec);
    FilterSpec<Long> built = (fixed ? spec.fixed() : spec).build();
    int answering = built.window().map(window -> window.buckets() + 1).orElse(1);
    return new Plan(built.parameters(), built.firstGenerationCapacity(), answering);
  }

  private void print(Output output, Map<Layout, Plan> plans) {
    output.println(
        String.format(
            Locale.ROOT,
            "capacity %,d keys, false positive rate %s%s",
            capacity,
            falsePositiveRate,
            fixed ? ", fixed" : ", half of it reserved for growing later"));
    windowOptions
        .window()
        .ifPresent(
            window ->
                output.println(
                    "keys are found for %s; %s active generations"
                        .formatted(WindowText.of(window), window.buckets() + 1)));
    output.println("");
    row(output, plans, "", plan -> ChoiceName.of(plan.parameters.layout()));
    row(output, plans, "bits", plan -> String.format(Locale.ROOT, "%,d", plan.bits()));
    row(
        output,
        plans,
        "bits per key",
        plan -> String.format(Locale.ROOT, "%.1f", (double) plan.bits() / capacity));
    row(output, plans, "bits set per key", plan -> "" + plan.parameters.hashes());
    row(output, plans, "memory of the mirror", plan -> ByteCount.of(plan.mirrorBytes()));
    row(
        output,
        plans,
        windowOptions.given() ? "slot tables when full" : "slot table when full",
        plan -> ByteCount.of(plan.tableBytes()));
    output.println("");
    for (int percentage : PERCENTAGES) {
      row(
          output,
          plans,
          "false positive rate at " + percentage + " %",
          plan -> String.format(Locale.ROOT, "%.3g", plan.rateAt(percentage)));
    }
  }

  private static void row(
      Output output, Map<Layout, Plan> plans, String title, Function<Plan, String> value) {
    StringBuilder row = new StringBuilder(String.format("%-30s", title));
    plans.values().forEach(plan -> row.append(String.format("%20s", value.apply(plan))));
    output.println(row.toString());
  }

  private Map<String, Object> asMap(Map<Layout, Plan> plans) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("capacity", capacity);
    map.put("falsePositiveRate", falsePositiveRate);
    map.put("growable", !fixed);
    windowOptions.window().ifPresent(window -> map.put("window", WindowText.figures(window)));
    map.put("layouts", plans.values().stream().map(this::asMap).toList());
    return map;
  }

  private Map<String, Object> asMap(Plan plan) {
    Map<String, Object> rates = new LinkedHashMap<>();
    PERCENTAGES.forEach(percentage -> rates.put(percentage.toString(), plan.rateAt(percentage)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("layout", ChoiceName.of(plan.parameters.layout()));
    map.put("bits", plan.bits());
    map.put("hashes", plan.parameters.hashes());
    map.put("slots", plan.answering * plan.parameters.slots());
    map.put("mirrorBytes", plan.mirrorBytes());
    map.put("slotTableBytes", plan.tableBytes());
    map.put("falsePositiveRateAtPercent", rates);
    return map;
  }

  /**
   * What a filter needs with one layout.
   *
   * @param parameters the shape of a generation
   * @param keys the number of keys that a generation is sized for
   * @param answering how many generations answer
   */
  private record Plan(BloomParameters parameters, long keys, int answering) {

    long bits() {
      return answering * parameters.bits();
    }

    long mirrorBytes() {
      return answering * parameters.bytes();
    }

    /** A table is kept for one bucket longer than it answers. */
    long tableBytes() {
      long slots = parameters.slots();
      int tables = answering == 1 ? 1 : answering + 1;
      return tables * slots * (slots <= FILLED_AT_ONCE ? BYTES_PER_SLOT : MOST_BYTES_PER_SLOT);
    }

    double rateAt(int percentage) {
      double rate =
          Sizing.expectedFalsePositiveRate(parameters, Math.round(keys * (percentage / 100.0)));
      return Fill.anyFalsePositiveRate(Collections.nCopies(answering, rate));
    }
  }
}
