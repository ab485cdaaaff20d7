package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.UnsupportedVersionException;

/** The format of all that is stored for a filter. */
public final class StoredFormat {

  /** The number of the only format. A change of what is stored takes the next one. */
  public static final int VERSION = 1;

  private StoredFormat() {}

  /**
   * Refuses a filter that this version of the library cannot read.
   *
   * @throws UnsupportedVersionException if a later version wrote the filter
   */
  public static void requireKnown(FilterName name, int version) {
    if (version != VERSION) {
      throw new UnsupportedVersionException(
          "Filter "
              + name
              + " is stored in format "
              + version
              + ", but this version of Slotbloom knows format "
              + VERSION
              + " only. Use the version that wrote it, or a newer one.");
    }
  }
}
