package io.github.slotbloom.cli.page;

import io.github.slotbloom.cli.page.Notice.Level;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes the findings of verifying, with one notice for each kind: there may be hundreds of a
 * kind.
 */
final class VerifiedNotices {

  private final VerifyReport report;

  VerifiedNotices(VerifyReport report) {
    this.report = report;
  }

  List<Notice> all() {
    Map<Kind, List<Finding>> kinds = new LinkedHashMap<>();
    for (Finding finding : report.findings()) {
      if (isSaidByAdvice(finding)) {
        continue;
      }
      kinds.computeIfAbsent(finding.kind(), kind -> new ArrayList<>()).add(finding);
    }
    List<Notice> notices = new ArrayList<>();
    kinds.forEach((kind, findings) -> notices.add(notice(kind, findings)));
    return notices;
  }

  private static boolean isSaidByAdvice(Finding finding) {
    return finding.kind() == Kind.FALSE_POSITIVE_RATE && finding.severity() == Severity.REMARK;
  }

  private Notice notice(Kind kind, List<Finding> findings) {
    Finding worst =
        findings.stream()
            .filter(finding -> finding.severity() == Severity.DAMAGE)
            .findFirst()
            .orElse(findings.get(0));
    long more = findings.size() - 1 + report.unlisted().getOrDefault(kind, 0L);
    return new Notice(
        worst.severity() == Severity.DAMAGE ? Level.DAMAGE : Level.NOTE,
        "Verification found: " + Notation.words(kind) + where(worst),
        "It "
            + worst.inWords()
            + (more == 0
                ? ""
                : (more == 1 ? " There is " : " There are ")
                    + Notation.count(more)
                    + " more of this kind."),
        List.of("slotbloom verify " + report.filter()));
  }

  private static String where(Finding finding) {
    return finding.where().isEmpty() ? "" : " in " + finding.where();
  }
}
