package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.BloomParameters;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a filter as the catalog describes it.
 *
 * @param number counts from 1
 * @param sinceSeq number of the journal entry that began it, 0 for the first; it takes the keys of
 *     later entries until another generation begins
 * @param sinceToken token of that entry, 0 for the first; if a generation was lost and begun again,
 *     the token differs
 * @param capacity keys that it was sized for
 * @param falsePositiveRate false positive rate that it was sized for
 * @param parameters layout, m and k
 * @param slotTable name of the table that holds its slots; empty in an entry of the journal, since
 *     only the catalog knows it
 * @param cutoverSeq number of the entry with which it replaced those before it; 0 if it has not
 *     replaced any
 * @param bucket the bucket that it belongs to; null if keys of the filter never expire, or where
 *     only the catalog knows it
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
    @Nullable Bucket bucket) {

  /** Creates a generation of a filter whose keys never expire. */
  public GenerationRecord(
      int number,
      long sinceSeq,
      long sinceToken,
      long capacity,
      double falsePositiveRate,
      BloomParameters parameters,
      String slotTable,
      long cutoverSeq) {
    this(
        number,
        sinceSeq,
        sinceToken,
        capacity,
        falsePositiveRate,
        parameters,
        slotTable,
        cutoverSeq,
        null);
  }

  /**
   * Returns the name of the table that holds its slots.
   *
   * @throws IllegalStateException if this was not read from the catalog
   */
  @Override
  public String slotTable() {
    if (slotTable.isEmpty()) {
      throw new IllegalStateException("Only the catalog knows the table of generation " + number);
    }
    return slotTable;
  }

  /** Returns true if it was being filled to replace others when that entry was written. */
  boolean wasFilledBy(long seq) {
    return sinceSeq < seq && seq <= cutoverSeq;
  }

  /** Returns this generation after it has replaced those before it. */
  GenerationRecord filledUpTo(long seq) {
    return new GenerationRecord(
        number, sinceSeq, sinceToken, capacity, falsePositiveRate, parameters, slotTable, seq);
  }

  /** Returns this generation in a bucket. */
  public GenerationRecord in(@Nullable Bucket other) {
    return new GenerationRecord(
        number,
        sinceSeq,
        sinceToken,
        capacity,
        falsePositiveRate,
        parameters,
        slotTable,
        cutoverSeq,
        other);
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
