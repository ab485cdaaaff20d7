package io.github.slotbloom.report;

import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of the verification of a filter. It describes the moment at which the verification
 * began; keys that were added meanwhile are not included.
 *
 * @param filter name of the filter
 * @param epoch 1, plus 1 for each clear
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest entry whose bits have to be in the slots
 * @param checked the checks that were made, with the number of items
 * @param unchecked the checks that could not be made, with the reasons
 * @param findings the findings, at most {@value #MOST_OF_A_KIND} of each kind; empty if all is well
 * @param unlisted for each kind, the number of findings that are not listed
 * @param falsePositiveRate the false positive rate by the bits that are set, those of entries that
 *     are not folded included; null if it is not known
 * @param repaired the repairs that were made before these findings, in sentences
 * @param notRepaired the repairs that were wanted but not made because they rely on doubtful data,
 *     in sentences
 */
public record VerifyReport(
    String filter,
    long epoch,
    long lastSequence,
    long foldedSequence,
    List<Checked> checked,
    List<Unchecked> unchecked,
    List<Finding> findings,
    Map<Kind, Long> unlisted,
    @Nullable CurrentFalsePositiveRate falsePositiveRate,
    List<String> repaired,
    List<String> notRepaired) {

  /** The largest number of listed findings of one kind. */
  public static final int MOST_OF_A_KIND = 100;

  /**
   * {@return true if nothing was lost or changed, as far as it could be checked, and the false
   * positive rate is not far above the target}
   */
  public boolean sound() {
    return findings.stream().allMatch(finding -> finding.severity() == Severity.REMARK);
  }

  /**
   * A check that was made.
   *
   * @param check the check
   * @param count the number of items
   * @param what the kind of the items
   */
  public record Checked(Check check, long count, String what) {}

  /**
   * A check that could not be made.
   *
   * @param check the check
   * @param why the reason, as a sentence
   */
  public record Unchecked(Check check, String why) {}
}
