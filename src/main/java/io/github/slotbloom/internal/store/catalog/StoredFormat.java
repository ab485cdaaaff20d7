package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.UnsupportedFormatException;

/**
 * Versions of the data that is stored for a filter. A version of this library can read the earlier
 * ones.
 */
public final class StoredFormat {

  /** The version of a filter with one generation. */
  static final int FIRST = 1;

  /** The version of a filter that grew. */
  static final int GROWN = 2;

  /**
   * The version of a filter whose generations are being replaced or were replaced, or can be
   * replaced from its own journal.
   */
  static final int REPLACEABLE = 3;

  /** The version of a filter that another one was merged into. */
  public static final int MERGED = 4;

  /** The newest version that this library stores. */
  public static final int NEWEST = MERGED;

  private StoredFormat() {}

  /**
   * Refuses a filter that this version cannot read.
   *
   * @throws UnsupportedFormatException if another version of this library wrote the filter
   */
  public static void requireKnown(FilterName name, FilterHead head) {
    if (head.formatVersion() < FIRST || head.formatVersion() > NEWEST) {
      throw new UnsupportedFormatException(
          "Filter "
              + name
              + " is stored in format "
              + head.formatVersion()
              + ", but this version of Slotbloom knows formats up to "
              + NEWEST
              + " only. Use the version that wrote it, or a newer one.");
    }
  }
}
