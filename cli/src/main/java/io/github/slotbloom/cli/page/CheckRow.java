package io.github.slotbloom.cli.page;

import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.VerifyReport;
import java.util.ArrayList;
import java.util.List;

/** A table row for something that verifying examined or could not examine. */
record CheckRow(String check, String outcome) {

  static List<CheckRow> of(VerifyReport report) {
    List<CheckRow> rows = new ArrayList<>();
    report
        .checked()
        .forEach(
            checked ->
                rows.add(
                    new CheckRow(
                        Notation.words(checked.check()),
                        checked.what() + ": " + Notation.count(checked.count()))));
    CurrentFalsePositiveRate rate = report.falsePositiveRate();
    if (rate != null) {
      rows.add(
          new CheckRow(
              "measured",
              "A false positive rate of "
                  + Notation.rate(rate.current())
                  + ", estimated from the set bits; the target is "
                  + Notation.rate(rate.target())));
    }
    report
        .unchecked()
        .forEach(
            unchecked ->
                rows.add(
                    new CheckRow(
                        Notation.words(unchecked.check()), "Not checked: " + unchecked.why())));
    return rows;
  }
}
