package io.github.slotbloom.report;

import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What verifying a filter came to. Everything is about the moment at which it began; what others
 * added meanwhile is not in it.
 *
 * @param filter its name
 * @param epoch counts how often it was cleared
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest entry whose bits have to be in the slots
 * @param checked what was looked at, and how much of it
 * @param unchecked what could not be looked at, and why
 * @param findings what is not as it should be; empty if all is well. Of each kind {@value
 *     #MOST_OF_A_KIND} at most
 * @param unlisted how many more of a kind there are
 * @param errorRate the measured error rate; null if none was measured
 * @param repaired what was mended before this was found, in sentences
 * @param notRepaired what was to be mended and was not, since it relies on what is in doubt, in
 *     sentences
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
    @Nullable ErrorRate errorRate,
    List<String> repaired,
    List<String> notRepaired) {

  /** How many findings of one kind are listed. */
  public static final int MOST_OF_A_KIND = 100;

  /** {@return whether nothing was lost or changed, as far as could be checked} */
  public boolean sound() {
    return findings.stream().allMatch(finding -> finding.severity() == Severity.REMARK);
  }

  /**
   * The same, after a repair.
   *
   * @param done what was mended
   * @param undone what was not mended, and why
   * @return a changed copy
   */
  public VerifyReport afterRepair(List<String> done, List<String> undone) {
    return new VerifyReport(
        filter,
        epoch,
        lastSequence,
        foldedSequence,
        checked,
        unchecked,
        findings,
        unlisted,
        errorRate,
        done,
        undone);
  }

  /**
   * Something that was looked at.
   *
   * @param check what
   * @param count how much of it
   * @param what the things that were counted
   */
  public record Checked(Check check, long count, String what) {}

  /**
   * Something that could not be looked at.
   *
   * @param check what
   * @param why a sentence
   */
  public record Unchecked(Check check, String why) {}

  /**
   * How often random keys are taken for members.
   *
   * @param samples how many random keys were asked for
   * @param seed makes the same keys again
   * @param members how many of them were taken for members
   * @param expected the rate that follows from the bits that are set, 0 to 1
   * @param low the lowest number of members that is no finding
   * @param high the highest number of members that is no finding
   */
  public record ErrorRate(
      long samples, long seed, long members, double expected, long low, long high) {

    /** {@return the measured rate, 0 to 1} */
    public double measured() {
      return (double) members / samples;
    }
  }
}
