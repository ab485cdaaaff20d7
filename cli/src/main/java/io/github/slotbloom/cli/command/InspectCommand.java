package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.line.BadKeyException;
import io.github.slotbloom.cli.line.KeyFormat;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Terminal;
import io.github.slotbloom.cli.text.HeatMapText;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.KeyExplanationText;
import io.github.slotbloom.cli.text.WindowText;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.KeyExplanation;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "inspect",
    description = "Show how full the slot tables of a filter are, or why a key is a member.")
public final class InspectCommand extends FilterCommand {

  private static final String KEY = "--key";

  private static final int LINES = 8;
  private static final int MOST_COLUMNS = 64;

  /** The line width for a file or a pipe. */
  private static final int USUAL_WIDTH = 80;

  @Option(
      names = KEY,
      paramLabel = "KEY",
      description = "Print the bits of this key instead, and which of them are set.")
  private @Nullable String key;

  @Mixin private final KeyOptions keyOptions = new KeyOptions();

  @Option(
      names = "--ascii",
      description = "Draw with ASCII characters. Default if the locale is not UTF-8.")
  private boolean ascii;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  void prepare() {
    if (given().contains("--key-type") && key == null) {
      throw new UsageException("--key-type goes with " + KEY + " alone.");
    }
    if (key != null) {
      Object unused = parsed(keyOptions.format(), key);
    }
  }

  private static <K> K parsed(KeyFormat<K> format, String written) {
    try {
      return format.parse(KeyArguments.bytes(List.of(written)).get(0));
    } catch (BadKeyException e) {
      throw new UsageException("Of " + KEY + ", " + e.getMessage() + ".", e);
    }
  }

  @Override
  int run(Session session, Output output) {
    if (key != null) {
      print(explain(session, keyOptions.format(), key), output);
    } else {
      int columns = columns();
      Inspection inspection =
          session.withTables(() -> session.bloom().admin(name()).inspect(LINES * columns));
      print(inspection, bucketsOf(session), columns, output);
    }
    return ExitCode.DONE;
  }

  /** Returns the generations of a window by their numbers; none if keys never expire. */
  private Map<Integer, Generation> bucketsOf(Session session) {
    Map<Integer, Generation> found = new HashMap<>();
    if (session.bloom().status(name()).flatMap(FilterStatus::window).isPresent()) {
      session.bloom().info(name()).generations().forEach(g -> found.put(g.number(), g));
    }
    return found;
  }

  private <K> KeyExplanation explain(Session session, KeyFormat<K> format, String written) {
    K parsed = parsed(format, written);
    try {
      return session.withTables(() -> session.bloom().admin(name()).explain(format.type(), parsed));
    } catch (FilterMismatchException e) {
      throw KeyOptions.otherType(session, name(), e);
    }
  }

  private void print(KeyExplanation explanation, Output output) {
    KeyExplanationText text = new KeyExplanationText(explanation);
    if (json) {
      output.println(Json.of(text.figures()));
    } else {
      text.lines().forEach(output::println);
    }
  }

  /** Returns the number of columns that the terminal has left beside the slot numbers. */
  private int columns() {
    int width = surroundings().terminal().isOutput() ? terminalWidth() : USUAL_WIDTH;
    return Math.max(1, Math.min(MOST_COLUMNS, width - 16));
  }

  private void print(
      Inspection inspection, Map<Integer, Generation> buckets, int columns, Output output) {
    if (json) {
      output.println(Json.of(figures(inspection, buckets)));
      return;
    }
    output.println(
        String.format(
            Locale.ROOT,
            "%s: layout %s, key type %s, %,d keys, capacity %,d, false positive rate %s, epoch %d,"
                + " folded up to entry %d of %d",
            inspection.filter(),
            inspection.layout(),
            inspection.keyType(),
            inspection.keysAdded(),
            inspection.capacity(),
            inspection.falsePositiveRate(),
            inspection.epoch(),
            inspection.foldedSequence(),
            inspection.lastSequence()));
    Terminal terminal = surroundings().terminal();
    HeatMapText text =
        new HeatMapText(ascii || !terminal.takesUtf8(), terminal.colorsOnOutput(), columns);
    for (HeatMap map : inspection.generations()) {
      output.println(
          String.format(
              Locale.ROOT,
              "generation %d (%s%s%s): m = %,d bits, k = %d",
              map.generation(),
              map.slotTable(),
              map.active() ? "" : ", being filled",
              bucket(buckets.get(map.generation())),
              map.bits(),
              map.hashes()));
      text.lines(map).forEach(output::println);
    }
  }

  private static String bucket(@Nullable Generation generation) {
    if (generation == null || generation.bucket().isEmpty()) {
      return "";
    }
    Bucket bucket = generation.bucket().get();
    return generation.state() == State.EXPIRED
        ? ", expired"
        : String.format(
            Locale.ROOT,
            ", %,d keys since %s, expires at %s",
            bucket.keys(),
            bucket.begin(),
            bucket.expiresAt());
  }

  private static Map<String, Object> figures(
      Inspection inspection, Map<Integer, Generation> buckets) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("filter", inspection.filter());
    figures.put("layout", inspection.layout());
    figures.put("keyType", inspection.keyType());
    figures.put("capacity", inspection.capacity());
    figures.put("falsePositiveRate", inspection.falsePositiveRate());
    figures.put("keysAdded", inspection.keysAdded());
    figures.put("epoch", inspection.epoch());
    figures.put("lastSequence", inspection.lastSequence());
    figures.put("foldedSequence", inspection.foldedSequence());
    figures.put(
        "generations",
        inspection.generations().stream()
            .map(map -> figures(map, buckets.get(map.generation())))
            .toList());
    return figures;
  }

  private static Map<String, Object> figures(HeatMap map, @Nullable Generation generation) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("number", map.generation());
    if (generation == null) {
      figures.put("active", map.active());
    } else {
      figures.put("active", generation.state() == State.ACTIVE);
      generation.bucket().ifPresent(bucket -> figures.put("bucket", WindowText.figures(bucket)));
    }
    figures.put("slotTable", map.slotTable());
    figures.put("bits", map.bits());
    figures.put("hashes", map.hashes());
    figures.put("slots", map.slots());
    figures.put("slotsPerRange", map.slotsPerRange());
    figures.put(
        "ranges",
        map.ranges().stream()
            .map(
                range -> {
                  Map<String, Object> part = new LinkedHashMap<>();
                  part.put("firstSlot", range.firstSlot());
                  part.put("slots", range.slots());
                  part.put("rows", range.rows());
                  part.put("bitsSet", range.bitsSet());
                  return part;
                })
            .toList());
    return figures;
  }
}
