package io.github.slotbloom.cli.command;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.cli.ExitCode;
import io.github.slotbloom.cli.connect.Session;
import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.text.ChoiceName;
import io.github.slotbloom.cli.text.InfoText;
import io.github.slotbloom.cli.text.Json;
import io.github.slotbloom.cli.text.WindowText;
import io.github.slotbloom.report.FilterUsage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "info", description = "Show the parameters of a filter and how full it is.")
public final class InfoCommand extends FilterCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--show-seed",
      description = "Print the seed of the hash function even if it is secret.")
  private boolean showSeed;

  @Override
  int run(Session session, Output output) {
    FilterInfo info = session.withTables(() -> session.bloom().info(name()));
    boolean tellsSeed = showSeed || !info.seed().secret();
    if (json) {
      output.println(Json.of(figures(info, tellsSeed)));
    } else {
      new InfoText(info, output)
          .print(tellsSeed ? Long.toString(info.seed().value()) : "secret (--show-seed prints it)");
    }
    return ExitCode.DONE;
  }

  private static Map<String, Object> figures(FilterInfo info, boolean tellsSeed) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("name", info.name());
    figures.put("id", info.id());
    figures.put("keyType", info.keyType());
    figures.put("hash", info.hash());
    if (tellsSeed) {
      figures.put("seed", info.seed().value());
    }
    figures.put("layout", ChoiceName.of(info.layout()));
    figures.put("growable", info.growable());
    figures.put("retainHashes", info.retainHashes());
    info.window().ifPresent(window -> figures.put("window", WindowText.figures(window)));
    figures.put("onFull", ChoiceName.of(info.onFull()));
    figures.put("keys", info.keys());
    figures.put("capacity", info.capacity());
    if (info.window().isPresent()) {
      figures.put("fullAt", info.fullAt());
    }
    info.replacementCapacity().ifPresent(capacity -> figures.put("replacementCapacity", capacity));
    figures.put("falsePositiveRate", info.falsePositiveRate());
    figures.put("keysAdded", info.keysAdded());
    if (info.window().isPresent()) {
      figures.put("keysRenewed", info.keysRenewed());
    }
    if (info.removable()) {
      figures.put("keysRemoved", info.keysRemoved());
      figures.put("removableKeys", info.removableKeys());
      figures.put("removedKeysBytes", info.removedKeysBytes());
    }
    figures.put("used", info.used());
    figures.put("nearlyFull", info.nearlyFull());
    figures.put("unfoldedKeys", info.unfoldedKeys());
    figures.put("estimatedKeys", Math.round(info.estimatedKeys()));
    figures.put("saturated", info.saturated());
    figures.put("currentFalsePositiveRate", info.currentFalsePositiveRate());
    ifKnown(figures, "observedFalsePositiveRate", info.usage().observedFalsePositiveRate());
    figures.put("bits", info.bits());
    figures.put("bitsSet", info.bitsSet());
    figures.put("fill", info.fill());
    figures.put("bitsPerKey", info.bitsPerKey());
    figures.put("mirrorBytes", info.mirrorBytes());
    figures.put("slotTableBytes", info.slotTableBytes());
    figures.put("epoch", info.epoch());
    figures.put("lastSequence", info.lastSequence());
    figures.put("foldedSequence", info.foldedSequence());
    figures.put("backlog", info.backlog());
    figures.put("foldLagSeconds", info.foldLag().toMillis() / 1000.0);
    figures.put("journalRows", info.journalRows());
    figures.put("journalTableBytes", info.journalTableBytes());
    put(figures, info.usage());
    figures.put("createdAt", info.createdAt().toString());
    info.expiresAt().ifPresent(at -> figures.put("expiresAt", at.toString()));
    figures.put("generations", info.generations().stream().map(InfoCommand::figures).toList());
    return figures;
  }

  private static void put(Map<String, Object> figures, FilterUsage usage) {
    figures.put("usageDays", FilterInfo.USAGE_DAYS);
    figures.put("lookups", usage.lookups());
    ifKnown(figures, "hitRate", usage.hitRate());
    figures.put("adds", usage.adds());
    ifKnown(figures, "duplicateRate", usage.duplicateRate());
    figures.put("falsePositivesReported", usage.falsePositives());
  }

  private static void ifKnown(Map<String, Object> figures, String name, OptionalDouble figure) {
    figure.ifPresent(value -> figures.put(name, value));
  }

  private static Map<String, Object> figures(FilterInfo.Generation generation) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("number", generation.number());
    figures.put("state", ChoiceName.of(generation.state()));
    generation.bucket().ifPresent(bucket -> figures.put("bucket", WindowText.figures(bucket)));
    figures.put("capacity", generation.capacity());
    figures.put("falsePositiveRate", generation.falsePositiveRate());
    figures.put("bits", generation.bits());
    figures.put("hashes", generation.hashes());
    figures.put("slotTable", generation.slotTable());
    figures.put("slotRows", generation.slotRows());
    figures.put("tableBytes", generation.tableBytes());
    figures.put("bitsSet", generation.bitsSet());
    figures.put("unfoldedKeys", generation.unfoldedKeys());
    figures.put("fill", generation.fill());
    figures.put("currentFalsePositiveRate", generation.currentFalsePositiveRate());
    return figures;
  }
}
