package io.github.slotbloom.error;

/**
 * Keys were not removed, because as many are removed already as may be before the filter is built
 * anew. None of the keys of the call was removed.
 */
public final class RemovedKeysFullException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param filter the name of the filter
   * @param removed how many keys are removed
   * @param most how many may be
   * @param retainsHashes true if the filter can be built anew from its own journal
   */
  public RemovedKeysFullException(String filter, long removed, long most, boolean retainsHashes) {
    super(
        ("No more keys can be removed from filter %s: %s are, and at most %s may be before it is"
                + " built anew. None of these keys was removed. %s")
            .formatted(
                filter,
                removed,
                most,
                retainsHashes
                    ? "Build it anew from its journal (./slotbloom grow "
                        + filter
                        + " --from-journal), which also happens by itself; then remove them again."
                    : "Replace it from a source of its keys (./slotbloom grow "
                        + filter
                        + " --from ...), then remove them again."));
  }
}
