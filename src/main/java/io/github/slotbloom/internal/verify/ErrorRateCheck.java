package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport.ErrorRate;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * Checks that random keys are taken for members as often as the bits that are set make it.
 *
 * <p>Given the bits, each random key is a member of a generation with a probability p that is known
 * exactly, so the number F of members among N is binomial, and P(F >= f) <= exp(-N D(f/N || p)) for
 * f > Np, with the relative entropy D; likewise below (Hoeffding: Probability Inequalities for Sums
 * of Bounded Random Variables, 1963, theorem 1). Several generations look at the same hash, so of
 * the filter it is only known that p lies between the largest rate of one and the sum of all. Where
 * memory does not hold the bits, others may set more meanwhile, and p lies between before and
 * after.
 */
record ErrorRateCheck(FilterRecord filter, StoredBits stored, Findings findings) {

  private static final int BATCH = 1 << 14;

  /**
   * @param progress hears how many random keys are looked up
   */
  ErrorRate run(long samples, long seed, LongConsumer progress) {
    List<Double> before = rates();
    long members = members(samples, seed, progress);
    List<Double> after = rates();
    double lowest = before.stream().mapToDouble(rate -> rate).max().orElseThrow();
    double highest = Math.min(1, after.stream().mapToDouble(rate -> rate).sum());
    double expected = Fill.anyFalsePositiveRate(after);
    ErrorRate rate =
        new ErrorRate(
            samples, seed, members, expected, low(samples, lowest), high(samples, highest));
    if (members < rate.low() || members > rate.high()) {
      findings.damage(
          Set.of(Ground.GENERATION_ROWS),
          Kind.ERROR_RATE,
          members + " of " + samples + " random keys (seed " + seed + ") are members",
          rate.low() + " to " + rate.high() + ", by the bits that are set",
          "Verify again with another seed. If it stays, report it: the arithmetic is wrong.");
    } else if (new CurrentErrorRate(expected, filter.falsePositiveRate()).isFarAboveTarget()) {
      // Bits that no key can have set explain it, and a larger filter is no remedy for them.
      if (!findings.has(Kind.FILL)) {
        aboveTarget(Severity.DAMAGE, expected);
      }
    } else if (filter.head().keysSet() > filter.capacity()
        && expected > filter.falsePositiveRate()) {
      aboveTarget(Severity.REMARK, expected);
    }
    findings.checked(Check.ERROR_RATE, samples, "random keys");
    return rate;
  }

  private void aboveTarget(Severity severity, double expected) {
    findings.add(
        Set.of(),
        severity,
        Kind.ERROR_RATE,
        "an error rate of " + expected + " by the bits that are set",
        "%s, which holds up to %s keys; it has %s"
            .formatted(filter.falsePositiveRate(), filter.capacity(), filter.head().keysSet()),
        remedy());
  }

  private String remedy() {
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

  private List<Double> rates() {
    return IntStream.range(0, filter.generations().size())
        .mapToObj(place -> stored.fill(place).falsePositiveRate())
        .toList();
  }

  private long members(long samples, long seed, LongConsumer progress) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Probe> probes =
        filter.generations().stream().map(GenerationRecord::parameters).map(Probe::of).toList();
    long found = 0;
    for (long done = 0; done < samples; done += BATCH) {
      long[] hashes = random.longs(Math.min(BATCH, samples - done)).toArray();
      boolean[] members = new boolean[hashes.length];
      for (int place = 0; place < probes.size(); place++) {
        probes.get(place).markMembers(hashes, 0, hashes.length, stored.of(place, hashes), members);
      }
      for (boolean member : members) {
        found += member ? 1 : 0;
      }
      progress.accept(done + hashes.length);
    }
    return found;
  }

  /** The lowest number of members that is not too improbable. */
  static long low(long samples, double rate) {
    long low = 0;
    long high = (long) Math.floor(samples * rate);
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (isImprobable(samples, middle, rate)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The highest number of members that is not too improbable. */
  static long high(long samples, double rate) {
    long low = (long) Math.ceil(samples * rate);
    long high = samples;
    while (low < high) {
      long middle = high - (high - low) / 2;
      if (isImprobable(samples, middle, rate)) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return low;
  }

  private static boolean isImprobable(long samples, long members, double rate) {
    double share = (double) members / samples;
    double entropy = part(share, rate) + part(1 - share, 1 - rate);
    return samples * entropy > FillCheck.LOG_IMPROBABLE;
  }

  private static double part(double share, double rate) {
    return share == 0 ? 0 : share * Math.log(share / rate);
  }
}
