package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.GenerationState;
import io.github.slotbloom.internal.store.filter.WindowGeneration;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Finding.Kind;

/**
 * Checks that the generations of a window are in the buckets that they can be in: those whose keys
 * have not expired answer, and those that expired do not.
 */
record WindowCheck(FilterUnderVerification observed, Window window, Findings findings) {

  void run() {
    for (GenerationRecord generation : filter().generations()) {
      requireLasting(generation);
    }
    for (WindowGeneration row : observed.rows()) {
      if (row.isBegun() && !row.is(GenerationState.ACTIVE)) {
        requireExpired(row);
      }
    }
    requireBegun();
  }

  private FilterRecord filter() {
    return observed.filter();
  }

  private long newestBucket() {
    return filter().head().bucket();
  }

  private void requireLasting(GenerationRecord generation) {
    Bucket bucket = generation.bucket();
    if (bucket != null && !bucket.answersIn(newestBucket())) {
      damage(
          generation.number(),
          "generation %s in use, of the bucket %s".formatted(generation.number(), bucket.number()),
          "at least the bucket %s, or the state RETIRED: the keys of older ones expired"
              .formatted(newestBucket() - window.buckets()));
    }
  }

  private void requireExpired(WindowGeneration row) {
    Long bucket = row.bucket();
    boolean expired =
        row.number() < filter().generations().get(0).number()
            && bucket != null
            && bucket + window.buckets() < newestBucket();
    if (!expired) {
      damage(
          row.number(),
          "generation %s in the state %s, of the bucket %s"
              .formatted(row.number(), row.state(), bucket),
          "the state ACTIVE, or a bucket before %s, whose keys expired"
              .formatted(newestBucket() - window.buckets()));
    }
  }

  /** A clock that was set back is no damage, but keys live longer until it has caught up. */
  private void requireBegun() {
    long now = observed.transactions().attempt(WindowRows::nowMicros);
    long begin = window.beginMicros(newestBucket());
    if (begin > now + DatabaseClock.mostAheadMicros(window)) {
      findings.remark(
          Kind.PARAMETERS,
          "the newest bucket %s, which begins at %s"
              .formatted(newestBucket(), window.begin(newestBucket())),
          "one that has begun by the clock of the database, which says "
              + window.begin(window.bucketAt(now)),
          "Set the clock right if it is wrong. Else put the row in bloom_filter back: until that"
              + " time no key expires.");
    }
  }

  private void damage(int generation, String found, String expected) {
    findings.damage(
        Kind.PARAMETERS, Place.row(generation), found, expected, ParameterCheck.PUT_BACK);
  }
}
