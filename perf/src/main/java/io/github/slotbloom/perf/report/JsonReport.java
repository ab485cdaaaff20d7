package io.github.slotbloom.perf.report;

import com.fasterxml.jackson.jr.ob.JSON;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.measure.Spread;
import io.github.slotbloom.perf.measure.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes every figure of every round as JSON. */
public final class JsonReport {

  private JsonReport() {}

  public static void write(RunReport run, Path file) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>(run.circumstances());
    json.put("right", run.isRight());
    json.put("cases", run.cases().stream().map(JsonReport::ofCase).toList());
    Files.writeString(file, JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(json) + "\n");
  }

  private static Map<String, Object> ofCase(CaseReport one) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", one.id());
    json.put("title", one.title());
    json.put("seconds", one.seconds());
    json.put("checks", one.checks().made());
    json.put("failedChecks", one.checks().failures());
    if (!one.error().isEmpty()) {
      json.put("error", one.error());
    }
    json.put("notes", one.notes());
    json.put("comparisons", one.comparisons().stream().map(JsonReport::ofComparison).toList());
    json.put("tables", one.tables().stream().map(JsonReport::ofTable).toList());
    json.put("curves", one.curves().stream().map(JsonReport::ofCurve).toList());
    return json;
  }

  private static Map<String, Object> ofComparison(Comparison comparison) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("title", comparison.title());
    json.put("unit", comparison.unit());
    json.put("better", comparison.better().name().toLowerCase(Locale.ROOT));
    List<Map<String, Object>> series = new ArrayList<>();
    for (Series one : comparison.series()) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("name", one.name());
      values.put("durability", one.durability());
      values.put("rounds", one.values());
      values.put("median", one.spread().median());
      values.put("oursTimesAsGood", ofSpread(comparison.timesAsGood(comparison.ours(), one)));
      series.add(values);
    }
    json.put("series", series);
    json.put("goals", comparison.goals().stream().map(goal -> ofGoal(comparison, goal)).toList());
    return json;
  }

  private static Map<String, Object> ofGoal(Comparison comparison, Goal goal) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ours", goal.ours());
    json.put("against", goal.against());
    json.put("goal", goal.words());
    json.put("timesAsGood", goal.timesAsGood());
    Optional<Spread> reached = comparison.reached(goal);
    json.put("measured", reached.isPresent());
    reached.ifPresent(spread -> json.put("reached", ofSpread(spread)));
    comparison
        .verdict(goal)
        .ifPresent(
            verdict -> {
              json.put("met", verdict == Verdict.MET);
              json.put("doubtful", verdict == Verdict.DOUBTFUL);
            });
    return json;
  }

  private static Map<String, Object> ofSpread(Spread spread) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("median", spread.median());
    json.put("min", spread.min());
    json.put("max", spread.max());
    return json;
  }

  private static Map<String, Object> ofTable(Table table) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("title", table.title());
    json.put("header", table.header());
    json.put("rows", table.rows());
    return json;
  }

  private static Map<String, Object> ofCurve(Curve curve) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("file", curve.file() + ".png");
    json.put("title", curve.title());
    json.put("x", curve.xAxis());
    json.put("y", curve.yAxis());
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Curve.Line line : curve.lines()) {
      Map<String, Object> points = new LinkedHashMap<>();
      points.put("name", line.name());
      points.put("x", line.x());
      points.put("y", line.y());
      lines.add(points);
    }
    json.put("lines", lines);
    return json;
  }
}
