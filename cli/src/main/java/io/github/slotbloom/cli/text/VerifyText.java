package io.github.slotbloom.cli.text;

import io.github.slotbloom.cli.terminal.Wording;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes the findings of verifying a filter for people and programs. */
public record VerifyText(VerifyReport report) {

  /** Returns the findings for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    report.repaired().forEach(done -> lines.add("repaired   " + done));
    report.notRepaired().forEach(undone -> lines.add("unrepaired " + undone));
    report
        .checked()
        .forEach(
            checked ->
                lines.add(
                    String.format(
                        Locale.ROOT,
                        "checked    %-19s %s: %,d",
                        ChoiceName.of(checked.check()),
                        checked.what(),
                        checked.count())));
    CurrentFalsePositiveRate rate = report.falsePositiveRate();
    if (rate != null) {
      lines.add(
          String.format(
              Locale.ROOT,
              "measured   false-positive-rate %.3g, estimated from the set bits; the target is"
                  + " %.3g",
              rate.current(),
              rate.target()));
    }
    report
        .unchecked()
        .forEach(
            unchecked ->
                lines.add(
                    String.format(
                        "unchecked  %-19s %s", ChoiceName.of(unchecked.check()), unchecked.why())));
    report.findings().forEach(finding -> lines.add(inWords(finding)));
    report
        .unlisted()
        .forEach(
            (kind, count) ->
                lines.add(
                    String.format(Locale.ROOT, "and %,d more of %s", count, ChoiceName.of(kind))));
    lines.add(conclusion());
    return lines.stream().map(Wording::oneLine).map(Wording::printable).toList();
  }

  private static String inWords(Finding finding) {
    return String.format(
        "%-10s %s%s: %s",
        finding.severity() == Severity.DAMAGE ? "DAMAGE" : "remark",
        ChoiceName.of(finding.kind()),
        finding.where().isEmpty() ? "" : " in " + finding.where(),
        finding.inWords());
  }

  private String conclusion() {
    long damage =
        report.findings().stream().filter(f -> f.severity() == Severity.DAMAGE).count()
            + report.unlisted().values().stream().mapToLong(more -> more).sum();
    return report.sound()
        ? "Filter " + report.filter() + " is sound, as far as it was checked."
        : String.format(
            Locale.ROOT, "Filter %s is damaged; findings: %,d.", report.filter(), damage);
  }

  /** Returns the findings for programs. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("filter", report.filter());
    figures.put("sound", report.sound());
    figures.put("epoch", report.epoch());
    figures.put("lastSequence", report.lastSequence());
    figures.put("foldedSequence", report.foldedSequence());
    figures.put("repaired", report.repaired());
    figures.put("notRepaired", report.notRepaired());
    figures.put("checked", report.checked().stream().map(VerifyText::figures).toList());
    figures.put("unchecked", report.unchecked().stream().map(VerifyText::figures).toList());
    figures.put("findings", report.findings().stream().map(VerifyText::figures).toList());
    Map<String, Object> unlisted = new LinkedHashMap<>();
    report.unlisted().forEach((kind, count) -> unlisted.put(ChoiceName.of(kind), count));
    figures.put("unlisted", unlisted);
    CurrentFalsePositiveRate rate = report.falsePositiveRate();
    if (rate != null) {
      figures.put("falsePositiveRate", Map.of("current", rate.current(), "target", rate.target()));
    }
    return figures;
  }

  private static Map<String, Object> figures(Checked checked) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("check", ChoiceName.of(checked.check()));
    figures.put("count", checked.count());
    figures.put("what", checked.what());
    return figures;
  }

  private static Map<String, Object> figures(Unchecked unchecked) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("check", ChoiceName.of(unchecked.check()));
    figures.put("why", unchecked.why());
    return figures;
  }

  private static Map<String, Object> figures(Finding finding) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("severity", ChoiceName.of(finding.severity()));
    figures.put("kind", ChoiceName.of(finding.kind()));
    putIfKnown(figures, "table", finding.table());
    putIfKnown(figures, "generation", finding.generation());
    putIfKnown(
        figures,
        "slot",
        finding.slot() == null ? null : new BigInteger(Long.toUnsignedString(finding.slot())));
    putIfKnown(figures, "sequence", finding.seq());
    figures.put("found", finding.found());
    figures.put("expected", finding.expected());
    figures.put("remedy", finding.remedy());
    return figures;
  }

  private static void putIfKnown(Map<String, Object> figures, String name, @Nullable Object value) {
    if (value != null) {
      figures.put(name, value);
    }
  }
}
