package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.UnsupportedFormatException;

/**
 * Versions of the data that is stored for a filter. A version of this library can read the earlier
 * ones.
 */
public final class StoredFormat {

  /**
   * The version of a filter with one generation. The versions before it, 1 to 4, have the end of
   * the journal in the row of the filter; migrating raises each of them by four.
   */
  static final int FIRST = 5;

  /** The version of a filter that grew. */
  static final int GROWN = 6;

  /**
   * The version of a filter whose generations are being replaced or were replaced, or can be
   * replaced from its own journal.
   */
  static final int REPLACEABLE = 7;

  /** The version of a filter that another one was merged into. */
  static final int MERGED = 8;

  /** The version of a filter whose keys can be removed. */
  static final int REMOVABLE = 9;

  /** The version of a filter whose keys can be removed, and that another one was merged into. */
  static final int REMOVABLE_MERGED = 10;

  /** The newest version that this library stores. */
  public static final int NEWEST = REMOVABLE_MERGED;

  private StoredFormat() {}

  /** Returns true if another filter was merged into a filter of that version. */
  public static boolean isMerged(int version) {
    return version == MERGED || version == REMOVABLE_MERGED;
  }

  /** Returns true if keys can be removed from a filter of that version. */
  public static boolean isRemovable(int version) {
    return version >= REMOVABLE;
  }

  /** Returns the version of a new filter. */
  static int ofNew(boolean retainHashes, boolean removable) {
    return removable ? REMOVABLE : retainHashes ? REPLACEABLE : FIRST;
  }

  /**
   * Refuses a filter that this version cannot read.
   *
   * @throws UnsupportedFormatException if another version of this library wrote the filter
   */
  public static void requireKnown(FilterName name, FilterHead head) {
    requireKnown(name, head.formatVersion());
  }

  static void requireKnown(FilterName name, int version) {
    if (version < FIRST || version > NEWEST) {
      throw new UnsupportedFormatException(
          "Filter "
              + name
              + " is stored in format "
              + version
              + ", but this version of Slotbloom knows formats "
              + FIRST
              + " to "
              + NEWEST
              + " only. "
              + (version < FIRST
                  ? "Migrate the schema."
                  : "Use the version that wrote it, or a newer one."));
    }
  }
}
