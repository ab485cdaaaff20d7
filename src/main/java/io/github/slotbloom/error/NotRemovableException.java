package io.github.slotbloom.error;

/** Keys cannot be removed from this filter, because it was not reserved for that. */
public final class NotRemovableException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param filter the name of the filter, as messages show it
   */
  public NotRemovableException(String filter) {
    super(
        ("Keys cannot be removed from filter %s: it was not reserved as removable. Nothing was"
                + " removed. Reserve another filter that is (FilterSpec.removable(), or slotbloom"
                + " reserve --removable), and add the keys to it.")
            .formatted(filter));
  }
}
