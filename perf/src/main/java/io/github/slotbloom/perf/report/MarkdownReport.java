package io.github.slotbloom.perf.report;

import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.measure.Spread;
import io.github.slotbloom.perf.measure.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes the figures for people: the goals, and each case. */
public final class MarkdownReport {

  private final StringBuilder text = new StringBuilder();

  private MarkdownReport() {}

  public static void write(RunReport run, Path file) throws IOException {
    MarkdownReport report = new MarkdownReport();
    report.head(run);
    report.goals(run);
    run.cases().forEach(report::section);
    Files.writeString(file, report.text);
  }

  /** Returns only the goals, to be read during the run. */
  public static String goalsOf(RunReport run) {
    MarkdownReport report = new MarkdownReport();
    report.goals(run);
    return report.text.toString();
  }

  /** Returns the section of one case. */
  public static String sectionOf(CaseReport one) {
    MarkdownReport report = new MarkdownReport();
    report.section(one);
    return report.text.toString();
  }

  private void head(RunReport run) {
    line("# Measured");
    line("");
    for (Map.Entry<String, Object> one : run.circumstances().entrySet()) {
      line("- " + one.getKey() + ": " + plain(one.getValue()));
    }
    line("");
    line(
        "A ratio says how many times as good ours is, above 1 being better: its median over the"
            + " rounds, and the least and the greatest in brackets.");
    line("");
    if (!run.isRight()) {
      line("**Some answers were wrong, or a case did not end: see there.**");
      line("");
    }
  }

  private static String plain(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> entry.getKey() + " " + entry.getValue())
          .reduce((a, b) -> a + ", " + b)
          .orElse("");
    }
    return String.valueOf(value);
  }

  private void goals(RunReport run) {
    row(List.of("case", "against", "goal", "reached", ""));
    row(List.of("---", "---", "---", "---", "---"));
    for (CaseReport one : run.cases()) {
      for (Comparison comparison : one.comparisons()) {
        for (Goal goal : comparison.goals()) {
          Optional<Spread> reached = comparison.reached(goal);
          row(
              List.of(
                  comparison.title(),
                  goal.against(),
                  goal.words() + " (" + Figures.of(goal.timesAsGood()) + ")",
                  reached.map(MarkdownReport::ratio).orElse("not measured"),
                  comparison.verdict(goal).map(MarkdownReport::words).orElse("")));
        }
      }
    }
    line("");
  }

  private static String words(Verdict verdict) {
    return switch (verdict) {
      case MET -> "met";
      case MISSED -> "**missed**";
      case DOUBTFUL -> "**doubtful**: figures of one side are far apart";
    };
  }

  private void section(CaseReport one) {
    line("## " + one.title());
    line("");
    if (!one.error().isEmpty()) {
      line("**Did not end: " + one.error() + "**");
      line("");
    }
    for (String failure : one.checks().failures()) {
      line("**Wrong: " + failure + "**");
      line("");
    }
    one.comparisons().forEach(this::comparison);
    one.tables().forEach(this::table);
    for (Curve curve : one.curves()) {
      line("![" + curve.title() + "](" + curve.file() + ".png)");
      line("");
    }
    for (String note : one.notes()) {
      line(note);
      line("");
    }
    line(
        String.format(
            Locale.ROOT, "`%s`, %,d checks, %.0f s", one.id(), one.checks().made(), one.seconds()));
    line("");
  }

  private void comparison(Comparison comparison) {
    String unit = comparison.unit();
    line("**" + comparison.title() + "**");
    line("");
    row(List.of("", "durability", unit + ", median", "min", "max", "ours to it", "goal"));
    row(List.of("---", "---", "---:", "---:", "---:", "---:", "---"));
    for (Series series : comparison.series()) {
      Spread spread = series.spread();
      boolean isOurs = series.isOurs();
      row(
          List.of(
              series.name(),
              series.durability(),
              Figures.of(spread.median()),
              Figures.of(spread.min()),
              Figures.of(spread.max()),
              isOurs ? "" : ratio(comparison.timesAsGood(comparison.ours(), series)),
              comparison.goals().stream()
                  .filter(goal -> goal.against().equals(series.name()))
                  .map(Goal::words)
                  .findFirst()
                  .orElse("")));
    }
    line("");
  }

  private void table(Table table) {
    line("**" + table.title() + "**");
    line("");
    row(table.header());
    row(table.header().stream().map(column -> "---").toList());
    table.rows().forEach(this::row);
    line("");
  }

  private static String ratio(Spread spread) {
    return Figures.of(spread.median())
        + " ("
        + Figures.of(spread.min())
        + " to "
        + Figures.of(spread.max())
        + ")";
  }

  private void row(List<String> cells) {
    line("| " + String.join(" | ", cells) + " |");
  }

  private void line(String words) {
    text.append(words).append('\n');
  }
}
