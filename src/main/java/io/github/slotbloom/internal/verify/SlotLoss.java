package io.github.slotbloom.internal.verify;

/**
 * Bits that a slot lacks.
 *
 * @param bits the bits that are recorded but missing
 * @param keys how many recorded hashes need them
 * @param firstSeq the first entry with such a hash; 0 if that is a retained one
 */
record SlotLoss(long bits, long keys, long firstSeq) {

  SlotLoss and(SlotLoss other) {
    return new SlotLoss(bits | other.bits, keys + other.keys, Math.min(firstSeq, other.firstSeq));
  }
}
