package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.BloomParameters;

/**
 * One generation of a filter as the catalog has it.
 *
 * @param number counts from 1
 * @param sinceSeq number of the journal entry that began it, 0 for the first; the keys of later
 *     entries go to it, until another one begins
 * @param sinceToken token of that entry, 0 for the first: a generation that was lost, and begun
 *     once more, has another one
 * @param capacity keys that it was sized for
 * @param falsePositiveRate error rate that it was sized for
 * @param parameters layout, m and k
 * @param slotTable the table that holds its slots
 * @param cutoverSeq number of the entry with which it replaced those before it; 0 if it did not, or
 *     not yet
 */
public record GenerationRecord(
    int number,
    long sinceSeq,
    long sinceToken,
    long capacity,
    double falsePositiveRate,
    BloomParameters parameters,
    String slotTable,
    long cutoverSeq) {

  /** Whether it was being filled, to replace others, when that entry was written. */
  boolean wasFilledBy(long seq) {
    return sinceSeq < seq && seq <= cutoverSeq;
  }

  /** The same once it has replaced those before it. */
  GenerationRecord filledUpTo(long seq) {
    return new GenerationRecord(
        number, sinceSeq, sinceToken, capacity, falsePositiveRate, parameters, slotTable, seq);
  }

  /** Whether it is that very one, which may have replaced others since. */
  public boolean isSameAs(GenerationRecord other) {
    return number == other.number && sinceToken == other.sinceToken;
  }
}
