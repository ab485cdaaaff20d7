package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.time.DatabaseClock;
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

  /** The remedy for a wrong value in the catalog. */
  static final String PUT_BACK =
      "Restore the row as it was, or restore the bloom_ tables from one backup.";

  private static final Set<String> KEY_TYPES = Set.of("text", "bytes", "long");

  /** The largest relative difference of a rate between processors. */
  private static final double LAST_DIGITS = 1e-12;

  private final Findings findings;
  private final FilterUnderVerification observed;
  private final FilterRecord filter;

  ParameterCheck(FilterUnderVerification observed, Findings findings) {
    this.findings = findings;
    this.observed = observed;
    this.filter = observed.filter();
  }

  void run() {
    requireKnownHash();
    if (!KEY_TYPES.contains(filter.keyType()) && !filter.keyType().startsWith("custom:")) {
      damage("the key_type " + filter.keyType(), "one that Slotbloom stores");
    }
    requireFold();
    for (GenerationRecord generation : filter.manifest().all()) {
      requireSize(generation);
    }
    requireRates();
    requireManifestInTime();
    Window window = filter.window();
    if (window != null) {
      requireLasting(window);
      requireBegun(window);
    }
    findings.checked(Check.PARAMETERS, filter.manifest().all().size(), "generations");
  }

  private void requireKnownHash() {
    try {
      HashAlgorithm unused = HashAlgorithm.byId(filter.hash());
    } catch (UnsupportedVersionException e) {
      damage("the hash " + filter.hash(), "one that this version of Slotbloom knows");
    }
  }

  private void requireFold() {
    JournalEnds ends = observed.ends();
    Long foldedSeq = ends.foldedSeq();
    if (foldedSeq == null) {
      damage("no row in bloom_fold", "one for each filter");
      return;
    }
    if (foldedSeq > ends.lastSeq()) {
      damage(
          "the folded_seq " + foldedSeq + " in bloom_fold",
          "at most the last_seq in row 0 of bloom_journal, " + ends.lastSeq());
    }
  }

  private void requireManifestInTime() {
    long last = filter.head().lastSeq();
    if (filter.manifest().seq() > last) {
      damage(
          "a manifest of entry " + filter.manifest().seq(),
          "one of an entry that is not beyond the last_seq " + last);
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
                    + " with false positive rates of "
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
          "a size with this false positive rate at this capacity, and not many times larger");
    } else if (!isExactSize(generation)) {
      findings.doubt(
          Ground.CATALOG,
          ("generation %s with %s does not have the size that this version computes for its"
                  + " capacity, so one of the values may be wrong")
              .formatted(generation.number(), inWords(generation)));
    }
  }

  /**
   * Returns true if the size follows from capacity and false positive rate to the bit, or, where it
   * was given, the false positive rate from the size. More than {@link Sizing#fits} asks for: a
   * repair writes and deletes by it.
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

  /** Looks for generations whose buckets have expired. */
  private void requireLasting(Window window) {
    long newest = filter.head().bucket();
    for (GenerationRecord generation : filter.generations()) {
      Bucket bucket = generation.bucket();
      if (bucket != null && !bucket.answersIn(newest)) {
        damage(
            generation,
            "generation %s in use, of the bucket %s"
                .formatted(generation.number(), bucket.number()),
            "at least the bucket %s: the keys of older ones expired"
                .formatted(newest - window.buckets()));
      }
    }
  }

  /** A clock that was set back is no damage, but keys live longer until it has caught up. */
  private void requireBegun(Window window) {
    long newest = filter.head().bucket();
    long now = observed.ask(ExpiryRows::nowMicros);
    if (window.beginMicros(newest) > now + DatabaseClock.mostAheadMicros(window)) {
      findings.remark(
          Kind.PARAMETERS,
          "the newest bucket %s, which begins at %s".formatted(newest, window.begin(newest)),
          "one that has begun by the database clock, which says "
              + window.begin(window.bucketAt(now)),
          "Correct the clock if it is wrong. Otherwise restore the row in bloom_filter: until that"
              + " time no key expires.");
    }
  }

  private static String inWords(GenerationRecord generation) {
    return "%s bits and %s hashes for %s keys at a false positive rate of %s since entry %s"
        .formatted(
            generation.parameters().bits(),
            generation.parameters().hashes(),
            generation.capacity(),
            generation.falsePositiveRate(),
            generation.sinceSeq());
  }

  private void damage(String found, String expected) {
    findings.damage(Kind.PARAMETERS, found, expected, PUT_BACK);
  }

  private void damage(GenerationRecord generation, String found, String expected) {
    findings.damage(
        Kind.PARAMETERS, Place.manifest(generation.number()), found, expected, PUT_BACK);
  }
}
