package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.BloomParameters;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a filter, as a {@link Manifest} describes it.
 *
 * @param number counts from 1
 * @param sinceSeq number of the journal entry that began it, 0 if the filter was created with it;
 *     it takes the keys of later entries until another generation begins
 * @param sinceToken token of that entry, or 0; if a generation was lost and begun again, the token
 *     differs
 * @param capacity keys that it was sized for
 * @param falsePositiveRate false positive rate that it was sized for
 * @param parameters layout, m and k
 * @param slotTable name of the table that holds its slots
 * @param cutoverSeq number of the entry with which it replaced those before it; 0 if it has not
 *     replaced any
 * @param bucket the bucket that it belongs to; null if keys of the filter never expire
 * @param wentOn true if it took keys of an earlier bucket before
 * @param counts what was counted in its bucket, if that is over and it was the last of it; else
 *     null
 */
public record GenerationRecord(
    int number,
    long sinceSeq,
    long sinceToken,
    long capacity,
    double falsePositiveRate,
    BloomParameters parameters,
    String slotTable,
    long cutoverSeq,
    @Nullable Bucket bucket,
    boolean wentOn,
    @Nullable KeyCounts counts) {

  /** Returns one that a filter is made with, before it has a number and so names of tables. */
  public static GenerationRecord first(
      int number, long capacity, double falsePositiveRate, BloomParameters parameters) {
    return new GenerationRecord(
        number, 0, 0, capacity, falsePositiveRate, parameters, "", 0, null, false, null);
  }

  /** Returns true if it had not replaced others yet when that entry was written. */
  boolean wasFilledBy(long seq) {
    return seq <= cutoverSeq;
  }

  /** Returns this generation after it has replaced those before it. */
  GenerationRecord filledUpTo(long seq) {
    return with(seq, bucket, wentOn, counts);
  }

  /** Returns this generation in a bucket. */
  public GenerationRecord in(@Nullable Bucket other) {
    return with(cutoverSeq, other, wentOn, counts);
  }

  /** Returns this generation as it takes keys of a later bucket, too. */
  GenerationRecord goingOnIn(Bucket later) {
    return with(cutoverSeq, later, true, null);
  }

  /** Returns this generation when its bucket is over. */
  public GenerationRecord counting(@Nullable KeyCounts closed) {
    return with(cutoverSeq, bucket, wentOn, closed);
  }

  private GenerationRecord with(
      long otherCutover,
      @Nullable Bucket otherBucket,
      boolean otherWentOn,
      @Nullable KeyCounts otherCounts) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceToken,
        capacity,
        falsePositiveRate,
        parameters,
        slotTable,
        otherCutover,
        otherBucket,
        otherWentOn,
        otherCounts);
  }

  /** Returns what was counted in its bucket; zeros if it has no counts. */
  public KeyCounts countsOrNone() {
    return counts == null ? KeyCounts.NONE : counts;
  }

  /** Returns true if its keys have not expired in a bucket, or never do. */
  public boolean answersIn(long later) {
    return bucket == null || bucket.answersIn(later);
  }

  /** Returns true if it takes keys of the same bucket as another generation. */
  public boolean isInBucketOf(GenerationRecord other) {
    return bucket == null
        ? other.bucket == null
        : other.bucket != null && bucket.number() == other.bucket.number();
  }

  /** Returns true if both are the same generation. One of them may show a later state. */
  public boolean isSameAs(GenerationRecord other) {
    return number == other.number && sinceToken == other.sinceToken;
  }
}
