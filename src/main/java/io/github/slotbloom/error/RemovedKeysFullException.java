package io.github.slotbloom.error;

/**
 * Keys were not removed, because as many are removed already as may be before the filter is built
 * anew, or in a window before the keys of its oldest bucket expire. None of the keys of the call
 * was removed; of a merge, nothing was written.
 */
public final class RemovedKeysFullException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param filter the name of the filter, as messages show it
   * @param removed how many keys are removed
   * @param most how many may be
   * @param retainsHashes true if the filter can be built anew from its own journal
   */
  public RemovedKeysFullException(String filter, long removed, long most, boolean retainsHashes) {
    super(
        ("No more keys can be removed from filter %s: %s are, and at most %s may be before it is"
                + " built anew. None of these keys was removed. %s; then remove them again.")
            .formatted(filter, removed, most, buildAnew(filter, retainsHashes)));
  }

  private RemovedKeysFullException(String message) {
    super(message);
  }

  /**
   * Creates the exception for a merge that would bring too many removed keys.
   *
   * @param filter the name of the filter that was to take the keys of another one, as messages show
   *     it
   * @param removed how many keys would be removed afterwards
   * @param most how many may be
   * @param retainsHashes true if the filter can be built anew from its own journal
   * @return the exception
   */
  public static RemovedKeysFullException ofMerge(
      String filter, long removed, long most, boolean retainsHashes) {
    return new RemovedKeysFullException(
        ("Nothing was merged into filter %s: afterwards %s keys would be removed, and at most %s"
                + " may be before it is built anew. %s, or build the other filter anew; then merge"
                + " again.")
            .formatted(filter, removed, most, buildAnew(filter, retainsHashes)));
  }

  /**
   * Creates the exception for a window, which is never built anew.
   *
   * @param filter the name of the filter, as messages show it
   * @param removed how many keys are removed in the buckets that count
   * @param most how many may be
   * @return the exception
   */
  public static RemovedKeysFullException ofWindow(String filter, long removed, long most) {
    return new RemovedKeysFullException(
        ("No more keys can be removed from filter %s: %s were removed in the buckets that count, and"
                + " at most %s may be. None of these keys was removed. What was removed in a bucket"
                + " counts no more when its keys expire: remove these again then, or reserve a"
                + " window of which a larger share may be removed.")
            .formatted(filter, removed, most));
  }

  private static String buildAnew(String filter, boolean retainsHashes) {
    return retainsHashes
        ? "Build it anew from its journal (slotbloom grow "
            + filter
            + " --from-journal), which also happens by itself"
        : "Replace it from a source of its keys (slotbloom grow " + filter + " --from ...)";
  }
}
