package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.internal.store.Tables.Filters;
import org.jooq.Condition;
import org.jooq.Field;

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

  /** The newest version of a filter that was never renamed. */
  private static final int NEWEST = REMOVABLE_MERGED;

  /**
   * What is added to the version of a filter when it is renamed first. Its tables may have names
   * that were made of its former names.
   */
  private static final int RENAMED = 100;

  /** The version of a filter as if it had never been renamed. */
  private static final Field<Integer> UNRENAMED = Filters.FORMAT_VERSION.mod(RENAMED);

  private StoredFormat() {}

  /** Returns true if another filter was merged into a filter of that version. */
  public static boolean isMerged(int version) {
    return unrenamed(version) == MERGED || unrenamed(version) == REMOVABLE_MERGED;
  }

  /** Returns true if keys can be removed from a filter of that version. */
  public static boolean isRemovable(int version) {
    return unrenamed(version) >= REMOVABLE;
  }

  /** Returns true if generations of a filter of that version can be replaced. */
  static boolean isReplaceable(int version) {
    return unrenamed(version) >= REPLACEABLE;
  }

  /** Returns true if a filter of that version was ever renamed. */
  static boolean isRenamed(int version) {
    return version >= RENAMED;
  }

  private static int unrenamed(int version) {
    return version % RENAMED;
  }

  /** Returns true if this version of the library can read a filter of that version. */
  public static boolean isKnown(int version) {
    return version < 2 * RENAMED && unrenamed(version) >= FIRST && unrenamed(version) <= NEWEST;
  }

  /** Returns the same as {@link #isKnown} for the row of a filter. */
  public static Condition isKnown() {
    return Filters.FORMAT_VERSION.lt(2 * RENAMED).and(UNRENAMED.between(FIRST, NEWEST));
  }

  /** Returns the version of a row, raised to at least that of filters of some kind. */
  static Field<Integer> atLeast(int version) {
    return raisedBy(greatest(UNRENAMED, val(version)));
  }

  /** Returns the version of a row after another filter was merged into the filter. */
  static Field<Integer> merged() {
    return raisedBy(when(UNRENAMED.ge(REMOVABLE), val(REMOVABLE_MERGED)).otherwise(val(MERGED)));
  }

  /** Returns the version of a row after the filter was renamed. */
  static Field<Integer> renamed() {
    return UNRENAMED.plus(RENAMED);
  }

  private static Field<Integer> raisedBy(Field<Integer> unrenamed) {
    return Filters.FORMAT_VERSION.minus(UNRENAMED).plus(unrenamed);
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
    if (!isKnown(version)) {
      throw new UnsupportedFormatException(
          "Filter "
              + name
              + " is stored in format "
              + version
              + ", but this version of Slotbloom knows formats "
              + FIRST
              + " to "
              + NEWEST
              + " and "
              + (RENAMED + FIRST)
              + " to "
              + (RENAMED + NEWEST)
              + " only. "
              + (version < FIRST
                  ? "Migrate the schema."
                  : "Use the version that wrote it, or a newer one."));
    }
  }
}
