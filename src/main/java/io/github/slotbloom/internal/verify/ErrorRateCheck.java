package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Checks that the error rate that follows from the bits is not far above the target. */
record ErrorRateCheck(
    FilterUnderVerification observed, JournalCheck journal, StoredBits stored, Findings findings) {

  /** Looks at what answers: the slots, and the entries that are not folded. */
  @Nullable CurrentErrorRate run() {
    if (!journal.isSound()) {
      findings.unchecked(Check.ERROR_RATE, "The journal is damaged.");
      return null;
    }
    FilterRecord filter = observed.filter();
    boolean isAllThere =
        stored.isInMemory()
            ? journal.forEachLater(
                observed.foldedSeq(),
                observed.lastSeq(),
                entry -> stored.takeIn(filter.set(), entry))
            : observed.foldedSeq() == observed.lastSeq();
    if (!isAllThere) {
      findings.unchecked(
          Check.ERROR_RATE,
          "Keys are not folded yet, and memory does not hold the slots that they go to, or they were"
              + " trimmed meanwhile. Fold the filter, or verify with more memory.");
      return null;
    }
    List<Double> rates =
        IntStream.range(0, filter.generations().size())
            .mapToObj(place -> stored.fill(place).falsePositiveRate())
            .toList();
    CurrentErrorRate rate =
        new CurrentErrorRate(Fill.anyFalsePositiveRate(rates), filter.falsePositiveRate());
    if (rate.isFarAboveTarget()) {
      // Bits that no key can have set explain it, and a larger filter is no remedy for them.
      if (!findings.has(Kind.FILL)) {
        aboveTarget(Severity.DAMAGE, rate);
      }
    } else if (filter.head().keysSet() > filter.capacity() && rate.current() > rate.target()) {
      aboveTarget(Severity.REMARK, rate);
    }
    findings.checked(Check.ERROR_RATE, rates.size(), "generations");
    return rate;
  }

  private void aboveTarget(Severity severity, CurrentErrorRate rate) {
    FilterRecord filter = observed.filter();
    findings.add(
        severity,
        Kind.ERROR_RATE,
        Place.NOWHERE,
        "an error rate of " + rate.current() + " by the bits that are set",
        "%s, which holds up to %s keys; it has %s"
            .formatted(rate.target(), filter.capacity(), filter.head().keysSet()),
        remedy());
  }

  private String remedy() {
    FilterRecord filter = observed.filter();
    if (filter.window() != null) {
      return "It falls as buckets expire that took more keys than they were made for. If it stays,"
          + " reserve another window with a larger capacity.";
    }
    GenerationRecord target = filter.set().target();
    String grow = "slotbloom grow " + filter.name();
    return target == null
        ? "Replace the filter by a larger one, from a source of all its keys: '"
            + grow
            + " --capacity N --from ...'."
        : ("The filter is being replaced by one of capacity %s. Finish that ('%s --capacity"
                + " %s' with --from, --query or --from-journal), or give it up ('%s --abort') and"
                + " replace it by a larger one.")
            .formatted(target.capacity(), grow, target.capacity(), grow);
  }
}
