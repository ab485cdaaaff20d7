package io.github.slotbloom.cli.page;

import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.ErrorRate;
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
    ErrorRate rate = report.errorRate();
    if (rate != null) {
      rows.add(new CheckRow("measured", measured(rate)));
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

  private static String measured(ErrorRate rate) {
    return Notation.count(rate.members())
        + " of "
        + Notation.count(rate.samples())
        + " random keys are members, a rate of "
        + Notation.rate(rate.measured())
        + "; chance would explain "
        + Notation.count(rate.low())
        + " to "
        + Notation.count(rate.high());
  }
}
