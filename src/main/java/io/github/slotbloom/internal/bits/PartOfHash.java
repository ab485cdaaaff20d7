package io.github.slotbloom.internal.bits;

/**
 * Finds the part that a key belongs to, if a set of keys is divided among several filters.
 *
 * <p>The part is reduce(word(0), parts), with the words of {@link Probe}. It is part of the stored
 * format and can never change. The positions of a key are made of word(1) and those after it. So
 * within a part they are as evenly spread as in a filter that has all keys; with a word that is
 * also a position, the keys of a part would lie in a part of its bits.
 */
public final class PartOfHash {

  private PartOfHash() {}

  /**
   * Returns the number of the part.
   *
   * @param parts the number of parts, at least 1
   * @return from 0 to {@code parts - 1}
   */
  public static int of(long hash, int parts) {
    return (int) Probe.reduce(Probe.mix64(hash), parts);
  }
}
