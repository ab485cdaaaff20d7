package io.github.slotbloom.engine;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalEnds;
import java.util.Set;

/**
 * Whether the catalog rows of a filter fit each other. That each value is in its range was seen
 * when they were read.
 */
final class ParameterCheck {

  private static final String PUT_BACK =
      "Put the row back as it was, or restore the bloom_ tables from one backup.";

  private static final Set<String> KEY_TYPES = Set.of("text", "bytes", "long");

  /** What rounding may make of a rate. */
  private static final double ROUNDING = 1e-6;

  /** More than any version of the arithmetic could ask for, beside a few blocks. */
  private static final int MOST_TIMES_TOO_LARGE = 2;

  private static final long FEW_BITS = 4096;

  private final FilterRecord filter;
  private final JournalEnds ends;
  private final Findings findings;

  ParameterCheck(Observed observed, Findings findings) {
    this.filter = observed.filter();
    this.ends = observed.ends();
    this.findings = findings;
  }

  void run() {
    requireKnownHash();
    if (!KEY_TYPES.contains(filter.keyType()) && !filter.keyType().startsWith("custom:")) {
      damage("the key_type " + filter.keyType(), "one that Slotbloom stores");
    }
    requireFold();
    double rates = 0;
    for (GenerationRecord generation : filter.set().all()) {
      requireSize(generation);
      requireOrder(generation);
      rates += filter.generations().contains(generation) ? generation.falsePositiveRate() : 0;
    }
    if (rates > filter.falsePositiveRate() * (1 + ROUNDING)) {
      damage(
          "generations with error rates of " + rates + " together",
          "at most " + filter.falsePositiveRate() + ", the false_positive_rate of the filter");
    }
    findings.checked(Check.PARAMETERS, filter.set().all().size(), "generations");
  }

  private void requireKnownHash() {
    try {
      HashAlgorithm unused = HashAlgorithm.byId(filter.hash());
    } catch (UnsupportedFormatException e) {
      damage("the hash " + filter.hash(), "one that this version of Slotbloom knows");
    }
  }

  private void requireFold() {
    Long foldEpoch = ends.foldEpoch();
    Long foldedSeq = ends.foldedSeq();
    if (foldEpoch == null || foldedSeq == null) {
      damage("no row in bloom_fold", "one for each filter");
      return;
    }
    if (foldEpoch != ends.epoch()) {
      damage("the epoch " + foldEpoch + " in bloom_fold", ends.epoch() + ", as in bloom_filter");
    }
    if (foldedSeq > ends.lastSeq()) {
      damage(
          "the folded_seq " + foldedSeq + " in bloom_fold",
          "at most the last_seq in bloom_filter, " + ends.lastSeq());
    }
  }

  private void requireSize(GenerationRecord generation) {
    if (!hasSenseOfSize(generation)) {
      damage(
          generation,
          inWords(generation),
          "a size at which so many keys err so seldom, and not many times larger");
    }
  }

  private static boolean hasSenseOfSize(GenerationRecord generation) {
    double target = generation.falsePositiveRate();
    double rate = Sizing.expectedFalsePositiveRate(generation.parameters(), generation.capacity());
    if (Math.abs(rate - target) <= ROUNDING * target) {
      return true;
    }
    try {
      long asSized =
          Sizing.forCapacity(generation.parameters().layout(), generation.capacity(), target)
              .bits();
      return rate <= target * (1 + ROUNDING)
          && generation.parameters().bits() <= MOST_TIMES_TOO_LARGE * asSized + FEW_BITS;
    } catch (InvalidParameterException e) {
      return false;
    }
  }

  private void requireOrder(GenerationRecord generation) {
    long last = filter.head().lastSeq();
    boolean cutOverInTime =
        generation.cutoverSeq() == 0
            || (generation.cutoverSeq() > generation.sinceSeq() && generation.cutoverSeq() <= last);
    if (generation.sinceSeq() > last || !cutOverInTime) {
      damage(
          generation,
          "the since_seq "
              + generation.sinceSeq()
              + " and the cutover_seq "
              + generation.cutoverSeq(),
          "entries in that order, not beyond the last_seq " + last);
    }
  }

  /** What a generation is made of. */
  static String inWords(GenerationRecord generation) {
    return generation.parameters().bits()
        + " bits and "
        + generation.parameters().hashes()
        + " hashes for "
        + generation.capacity()
        + " keys at an error rate of "
        + generation.falsePositiveRate()
        + " since entry "
        + generation.sinceSeq();
  }

  private void damage(String found, String expected) {
    findings.damage(Kind.PARAMETERS, found, expected, PUT_BACK);
  }

  private void damage(GenerationRecord generation, String found, String expected) {
    findings.add(
        new Finding(
            Severity.DAMAGE,
            Kind.PARAMETERS,
            "bloom_generation",
            generation.number(),
            null,
            null,
            found,
            expected,
            PUT_BACK));
  }
}
