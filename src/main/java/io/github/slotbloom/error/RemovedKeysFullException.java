package io.github.slotbloom.error;

/**
 * Keys were not removed, because as many are removed already as may be before the filter is
 * rebuilt, or in a window before the keys of its oldest bucket expire. None of the keys of the call
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
   * @param retainsHashes true if the filter can be rebuilt from its own journal
   */
  public RemovedKeysFullException(String filter, long removed, long most, boolean retainsHashes) {
    super(
        ("No more keys can be removed from filter %s: %s have been removed, and it allows %s before"
                + " it is rebuilt. None of these keys was removed. %s; then remove them again.")
            .formatted(filter, removed, most, rebuild(filter, retainsHashes)));
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
   * @param retainsHashes true if the filter can be rebuilt from its own journal
   * @return the exception
   */
  public static RemovedKeysFullException ofMerge(
      String filter, long removed, long most, boolean retainsHashes) {
    return new RemovedKeysFullException(
        ("Nothing was merged into filter %s: it would then have %s removed keys, and it allows %s"
                + " before it is rebuilt. %s, or rebuild the other filter; then merge again.")
            .formatted(filter, removed, most, rebuild(filter, retainsHashes)));
  }

  /**
   * Creates the exception for a window, which is never rebuilt.
   *
   * @param filter the name of the filter, as messages show it
   * @param removed how many keys are removed in the buckets that count
   * @param most how many may be
   * @return the exception
   */
  public static RemovedKeysFullException ofWindow(String filter, long removed, long most) {
    return new RemovedKeysFullException(
        ("No more keys can be removed from filter %s: %s have been removed in its current buckets,"
                + " and it allows %s. None of these keys was removed. Removed keys stop counting when"
                + " their bucket expires: remove these keys then, or create a window that allows a"
                + " larger share of removed keys.")
            .formatted(filter, removed, most));
  }

  private static String rebuild(String filter, boolean retainsHashes) {
    return retainsHashes
        ? "Rebuild it from its journal (slotbloom grow "
            + filter
            + " --from-journal), which also happens automatically"
        : "Replace it from a source with its keys (slotbloom grow " + filter + " --from ...)";
  }
}
