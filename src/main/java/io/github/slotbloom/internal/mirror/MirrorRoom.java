package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.MirrorTooLargeException;
import java.util.List;
import java.util.Locale;

/** Checks that the memory of this process can hold the bits of a filter. */
public final class MirrorRoom {

  /** The memory that a process needs besides its mirrors. */
  private static final int ROOM_FOR_THE_REST_GIB = 2;

  private MirrorRoom() {}

  /**
   * Refuses a filter that is too large. Checks sizes only: the memory may be in use for other
   * things.
   *
   * @param generations the parameters of all generations that a mirror would hold
   * @throws MirrorTooLargeException if the heap can never hold that much
   */
  public static void require(FilterName name, List<BloomParameters> generations) {
    if (isTooLong(generations) || bytes(generations) > Runtime.getRuntime().maxMemory()) {
      throw tooLarge(name, generations);
    }
  }

  static MirrorTooLargeException tooLarge(FilterName name, List<BloomParameters> generations) {
    long bytes = bytes(generations);
    boolean heapMayDo = !isTooLong(generations);
    String limit =
        heapMayDo
            ? String.format(
                Locale.ROOT,
                "the heap of this process is limited to %,d MiB. Allow more (-Xmx%dg), or",
                Runtime.getRuntime().maxMemory() >> 20,
                (bytes >> 30) + ROOM_FOR_THE_REST_GIB)
            : "a mirror holds at most 16 GiB per generation.";
    return new MirrorTooLargeException(
        String.format(
            Locale.ROOT,
            "A mirror of filter %s takes %,d MiB, but %s %s the filter without a mirror"
                + " (FilterOptions.withoutMirror)%s.",
            name,
            bytes >> 20,
            limit,
            heapMayDo ? "open" : "Open",
            heapMayDo ? "" : ", or spread its keys over several filters (PartitionedFilter)"));
  }

  private static boolean isTooLong(List<BloomParameters> generations) {
    return generations.stream().anyMatch(g -> g.slots() > BitArray.MAX_SLOTS);
  }

  /** Returns the memory that the bits of all generations take, in bytes. */
  public static long bytes(List<BloomParameters> generations) {
    return generations.stream().mapToLong(BloomParameters::bytes).sum();
  }
}
