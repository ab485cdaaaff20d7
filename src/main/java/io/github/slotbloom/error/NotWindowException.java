package io.github.slotbloom.error;

/** Something was asked of a filter that only windows can do, whose keys expire. */
public final class NotWindowException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param filter the name of the filter, as messages show it
   */
  public NotWindowException(String filter) {
    super(
        ("Keys of filter %s never expire, so it cannot tell whether an event is too old. Add its key,"
                + " or reserve a filter with FilterSpec.Builder.window.")
            .formatted(filter));
  }
}
