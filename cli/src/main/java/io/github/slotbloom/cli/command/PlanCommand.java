package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.ByteCount;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.ErrorRate;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyCount;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "plan",
    description = {
      "Print what a filter would need, and its error rate while it fills and beyond, for each"
          + " layout. Needs no database.",
      "The slot table is what a full one takes in InnoDB, about."
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
      description = "How many distinct keys it is for.")
  private long capacity;

  @Option(
      names = "--fpp",
      paramLabel = "P",
      converter = ErrorRate.class,
      description = "The error rate when it is full. Default: ${DEFAULT-VALUE}.")
  private double falsePositiveRate = FilterSpec.DEFAULT_FALSE_POSITIVE_RATE;

  @Option(names = "--fixed", description = "Leave no room in the error rate for growing later.")
  private boolean fixed;

  @Option(names = "--json", description = "Print it as JSON.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli sets it before the call.
  @ParentCommand
  private RootCommand root;

  @Override
  public Integer call() {
    Map<Layout, Plan> plans = new LinkedHashMap<>();
    for (Layout layout : List.of(Layout.BLOCKED, Layout.STANDARD)) {
      plans.put(layout, plan(layout));
    }
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
    return new Plan((fixed ? spec.fixed() : spec).build().parameters());
  }

  private double rateAt(Plan plan, int percentage) {
    return Sizing.expectedFalsePositiveRate(
        plan.parameters, Math.round(capacity * (percentage / 100.0)));
  }

  private void print(Output output, Map<Layout, Plan> plans) {
    output.println(
        String.format(
            Locale.ROOT,
            "%,d keys at an error rate of %s%s",
            capacity,
            falsePositiveRate,
            fixed ? ", fixed" : ", half of which is left for growing"));
    output.println("");
    row(output, plans, "", plan -> ChoiceName.of(plan.parameters.layout()));
    row(output, plans, "bits", plan -> String.format(Locale.ROOT, "%,d", plan.parameters.bits()));
    row(
        output,
        plans,
        "bits a key",
        plan -> String.format(Locale.ROOT, "%.1f", (double) plan.parameters.bits() / capacity));
    row(output, plans, "bits set by a key", plan -> "" + plan.parameters.hashes());
    row(output, plans, "mirror in memory", plan -> ByteCount.of(plan.parameters.bytes()));
    row(output, plans, "slot table, full", plan -> ByteCount.of(plan.tableBytes()));
    output.println("");
    for (int percentage : PERCENTAGES) {
      row(
          output,
          plans,
          "error rate at " + percentage + " %",
          plan -> String.format(Locale.ROOT, "%.3g", rateAt(plan, percentage)));
    }
  }

  private static void row(
      Output output, Map<Layout, Plan> plans, String title, Function<Plan, String> value) {
    StringBuilder row = new StringBuilder(String.format("%-20s", title));
    plans.values().forEach(plan -> row.append(String.format("%20s", value.apply(plan))));
    output.println(row.toString());
  }

  private Map<String, Object> asMap(Map<Layout, Plan> plans) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("capacity", capacity);
    map.put("falsePositiveRate", falsePositiveRate);
    map.put("growable", !fixed);
    map.put("layouts", plans.values().stream().map(this::asMap).toList());
    return map;
  }

  private Map<String, Object> asMap(Plan plan) {
    Map<String, Object> rates = new LinkedHashMap<>();
    PERCENTAGES.forEach(percentage -> rates.put(percentage.toString(), rateAt(plan, percentage)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("layout", ChoiceName.of(plan.parameters.layout()));
    map.put("bits", plan.parameters.bits());
    map.put("hashes", plan.parameters.hashes());
    map.put("slots", plan.parameters.slots());
    map.put("mirrorBytes", plan.parameters.bytes());
    map.put("slotTableBytes", plan.tableBytes());
    map.put("falsePositiveRateAtPercent", rates);
    return map;
  }

  private record Plan(BloomParameters parameters) {
    long tableBytes() {
      long slots = parameters.slots();
      return slots * (slots <= FILLED_AT_ONCE ? BYTES_PER_SLOT : MOST_BYTES_PER_SLOT);
    }
  }
}
