package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.internal.verify.RepairKind.Ground;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks that the catalog rows of a filter fit each other. The range of each value was checked when
 * the rows were read.
 */
final class ParameterCheck {

  /** What to do with a wrong value in the catalog. */
  static final String PUT_BACK =
      "Put the row back as it was, or restore the bloom_ tables from one backup.";

  private static final Set<String> KEY_TYPES = Set.of("text", "bytes", "long");

  /** The largest relative difference of a rate between processors. */
  private static final double LAST_DIGITS = 1e-12;

  private final Findings findings;
  private final FilterRecord filter;
  private final JournalEnds ends;

  ParameterCheck(FilterUnderVerification observed, Findings findings) {
    this.findings = findings;
    this.filter = observed.filter();
    this.ends = observed.ends();
  }

  void run() {
    requireKnownHash();
    if (!KEY_TYPES.contains(filter.keyType()) && !filter.keyType().startsWith("custom:")) {
      damage("the key_type " + filter.keyType(), "one that Slotbloom stores");
    }
    requireFold();
    for (GenerationRecord generation : filter.set().all()) {
      requireSize(generation);
      requireOrder(generation);
    }
    requireRates();
    findings.checked(Check.PARAMETERS, filter.set().all().size(), "generations");
  }

  private void requireKnownHash() {
    try {
      HashAlgorithm unused = HashAlgorithm.byId(filter.hash());
    } catch (UnsupportedVersionException e) {
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
          "at most the last_seq in row 0 of bloom_journal, " + ends.lastSeq());
    }
  }

  private void requireRates() {
    Map<Optional<Bucket>, Double> rates =
        filter.generations().stream()
            .collect(
                Collectors.groupingBy(
                    generation -> Optional.ofNullable(generation.bucket()),
                    LinkedHashMap::new,
                    Collectors.summingDouble(GenerationRecord::falsePositiveRate)));
    rates.forEach(
        (bucket, rate) -> {
          if (!Sizing.isWithin(rate, filter.bucketFalsePositiveRate())) {
            damage(
                bucket.map(b -> "generations of bucket " + b.number()).orElse("generations")
                    + " with error rates of "
                    + rate
                    + " together",
                "at most "
                    + filter.bucketFalsePositiveRate()
                    + (bucket.isEmpty()
                        ? ", the false_positive_rate of the filter"
                        : ", the share of a bucket in the false_positive_rate of the filter"));
          }
        });
  }

  private void requireSize(GenerationRecord generation) {
    if (!Sizing.fits(
        generation.parameters(), generation.capacity(), generation.falsePositiveRate())) {
      damage(
          generation,
          inWords(generation),
          "a size at which so many keys err so seldom, and not many times larger");
    } else if (!isExactSize(generation)) {
      findings.doubt(
          Ground.CATALOG,
          ("generation %s with %s is not of the size that this version makes for so many"
                  + " keys, so one of these may be wrong")
              .formatted(generation.number(), inWords(generation)));
    }
  }

  /**
   * Returns true if the size follows from capacity and error rate to the bit, or, where it was
   * given, the error rate from the size. More than {@link Sizing#fits} asks for: a repair writes
   * and deletes by it.
   */
  private static boolean isExactSize(GenerationRecord generation) {
    double target = generation.falsePositiveRate();
    double rate = Sizing.expectedFalsePositiveRate(generation.parameters(), generation.capacity());
    if (Math.abs(rate - target) <= LAST_DIGITS * target) {
      return true;
    }
    try {
      return Sizing.forCapacity(generation.parameters().layout(), generation.capacity(), target)
          .equals(generation.parameters());
    } catch (InvalidParameterException e) {
      return false;
    }
  }

  private void requireOrder(GenerationRecord generation) {
    long last = filter.head().lastSeq();
    String found =
        "the since_seq %s and the cutover_seq %s"
            .formatted(generation.sinceSeq(), generation.cutoverSeq());
    boolean cutOverInTime =
        generation.cutoverSeq() == 0
            || (generation.cutoverSeq() > generation.sinceSeq() && generation.cutoverSeq() <= last);
    if (generation.sinceSeq() > last || !cutOverInTime) {
      damage(generation, found, "entries in that order, not beyond the last_seq " + last);
    }
    requireBegin(generation, found);
  }

  private void requireBegin(GenerationRecord generation, String found) {
    boolean oldest = generation.number() == filter.generations().get(0).number();
    boolean begunByEntry = generation.sinceSeq() > 0;
    boolean replacedOthers = generation.cutoverSeq() > 0;
    boolean possible =
        oldest
            ? replacedOthers ? begunByEntry : !begunByEntry || mayBeginLate()
            : begunByEntry && !replacedOthers;
    if (!possible) {
      damage(
          generation,
          found,
          oldest
              ? "of the oldest generation, entries of which it began and ended a replacement, or"
                  + " none"
              : "of a later generation, the entry that began it, and 0");
    }
  }

  /**
   * Returns true if the oldest generation may have begun anywhere: a clear leaves the newest one
   * alone, and those of buckets that expired go.
   */
  private boolean mayBeginLate() {
    return filter.head().epoch() > 1 || filter.window() != null;
  }

  /** Describes the parameters of a generation. */
  static String inWords(GenerationRecord generation) {
    return sizeInWords(generation) + " since entry " + generation.sinceSeq();
  }

  /** Describes its size. */
  static String sizeInWords(GenerationRecord generation) {
    return "%s bits and %s hashes for %s keys at an error rate of %s"
        .formatted(
            generation.parameters().bits(),
            generation.parameters().hashes(),
            generation.capacity(),
            generation.falsePositiveRate());
  }

  private void damage(String found, String expected) {
    findings.damage(Kind.PARAMETERS, found, expected, PUT_BACK);
  }

  private void damage(GenerationRecord generation, String found, String expected) {
    findings.damage(Kind.PARAMETERS, Place.row(generation.number()), found, expected, PUT_BACK);
  }
}
