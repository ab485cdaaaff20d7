package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import java.util.List;

/** Checks that the memory of this process can hold the bits of a filter. */
public final class MirrorRoom {

  private MirrorRoom() {}

  /**
   * Refuses a filter that is too large. Checks sizes only: the memory may be in use for other
   * things.
   *
   * @param generations the parameters of all generations that a mirror would hold
   * @throws MirrorTooLargeException if the heap can never hold that much
   */
  public static void require(FilterName name, List<BloomParameters> generations) {
    boolean tooLong = generations.stream().anyMatch(g -> g.slots() > BitArray.MAX_SLOTS);
    if (tooLong || bytes(generations) > Runtime.getRuntime().maxMemory()) {
      throw tooLarge(name, generations);
    }
  }

  static MirrorTooLargeException tooLarge(FilterName name, List<BloomParameters> generations) {
    return new MirrorTooLargeException(
        "A mirror of filter "
            + name
            + " takes "
            + (bytes(generations) >> 20)
            + " MiB, but the heap of this process may grow to "
            + (Runtime.getRuntime().maxMemory() >> 20)
            + " MiB only, and a mirror has at most 16 GiB for each generation. Raise -Xmx"
            + " (JDK_JAVA_OPTIONS=-Xmx8g ./slotbloom ...), or open the filter without a mirror.");
  }

  /** Returns the memory that the bits of all generations take, in bytes. */
  public static long bytes(List<BloomParameters> generations) {
    return generations.stream().mapToLong(BloomParameters::bytes).sum();
  }
}
