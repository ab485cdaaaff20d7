package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Checks that the false positive rate that follows from the bits is not far above the target. */
record FalsePositiveRateCheck(
    FilterUnderVerification observed, JournalCheck journal, StoredBits stored, Findings findings) {

  /** Looks at what answers: the slots, and the entries that are not folded. */
  @Nullable CurrentFalsePositiveRate run() {
    if (!journal.isSound()) {
      findings.unchecked(Check.FALSE_POSITIVE_RATE, "The journal is damaged.");
      return null;
    }
    FilterRecord filter = observed.filter();
    boolean isAllThere =
        stored.isInMemory()
            ? journal.forEachLater(
                observed.foldedSeq(),
                observed.lastSeq(),
                entry -> stored.takeIn(filter.manifest(), entry))
            : observed.foldedSeq() == observed.lastSeq();
    if (!isAllThere) {
      findings.unchecked(
          Check.FALSE_POSITIVE_RATE,
          "Some keys are not folded yet, and their slots do not fit into memory, or they were"
              + " trimmed meanwhile. Fold the filter, or verify with more memory.");
      return null;
    }
    List<Double> rates =
        IntStream.range(0, filter.generations().size())
            .mapToObj(place -> stored.fill(place).falsePositiveRate())
            .toList();
    CurrentFalsePositiveRate rate =
        new CurrentFalsePositiveRate(Fill.anyFalsePositiveRate(rates), filter.falsePositiveRate());
    if (rate.isFarAboveTarget()) {
      // Bits that no key can have set explain it, and a larger filter is no remedy for them.
      if (!findings.has(Kind.FILL)) {
        aboveTarget(Severity.DAMAGE, rate);
      }
    } else if (filter.head().keysSet() > filter.capacity() && rate.current() > rate.target()) {
      aboveTarget(Severity.REMARK, rate);
    }
    findings.checked(Check.FALSE_POSITIVE_RATE, rates.size(), "generations");
    return rate;
  }

  private void aboveTarget(Severity severity, CurrentFalsePositiveRate rate) {
    FilterRecord filter = observed.filter();
    findings.add(
        severity,
        Kind.FALSE_POSITIVE_RATE,
        Place.NOWHERE,
        "a false positive rate of " + rate.current() + ", estimated from the set bits",
        "%s, with up to %s keys; it has %s"
            .formatted(rate.target(), filter.capacity(), filter.head().keysSet()),
        remedy());
  }

  private String remedy() {
    FilterRecord filter = observed.filter();
    if (filter.window() != null) {
      return "It falls as buckets expire that took more keys than their capacity. If it stays high,"
          + " create a window with a larger capacity.";
    }
    return ("Replace the filter with a larger one, from a source with all its keys: 'slotbloom grow"
            + " %1$s --capacity N --from ...'. If it is being replaced already, finish or abort that"
            + " first ('slotbloom grow %1$s --abort').")
        .formatted(filter.name());
  }
}
