package io.github.slotbloom.internal.store.catalog;

import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.UnsupportedFormatException;
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

  /** The newest version that this library stores. */
  private static final int NEWEST = REMOVABLE_MERGED;

  /**
   * A filter that expires has this much more than the version that it would have otherwise.
   * Versions of this library that know of no expiry refuse it, whatever else they know.
   */
  private static final int EXPIRING = 64;

  private StoredFormat() {}

  /** Returns true if another filter was merged into a filter of that version. */
  public static boolean isMerged(int version) {
    return base(version) == MERGED || base(version) == REMOVABLE_MERGED;
  }

  /** Returns true if keys can be removed from a filter of that version. */
  public static boolean isRemovable(int version) {
    return base(version) >= REMOVABLE;
  }

  /** Returns true if generations of a filter of that version can be replaced. */
  static boolean isReplaceable(int version) {
    return base(version) >= REPLACEABLE;
  }

  /** Returns true if a filter of that version expires. */
  static boolean isExpiring(int version) {
    return version >= EXPIRING;
  }

  /** Returns true if this library can read a filter of that version. */
  public static boolean isKnown(int version) {
    return base(version) >= FIRST && base(version) <= NEWEST && version < 2 * EXPIRING;
  }

  /**
   * Returns the condition, in SQL, for a filter that this library can read and whose time is not
   * over.
   */
  public static Condition isKnownAndLasts(Field<Integer> version) {
    return version
        .le(NEWEST)
        .or(version.between(EXPIRING + FIRST, EXPIRING + NEWEST).and(ExpirySql.IS_TO_COME));
  }

  private static int base(int version) {
    return version % EXPIRING;
  }

  private static Field<Integer> base(Field<Integer> version) {
    return version.mod(EXPIRING);
  }

  /** Returns, in SQL, the version after a change that needs at least another one. */
  static Field<Integer> atLeast(int needed, Field<Integer> version) {
    return version.minus(base(version)).plus(greatest(base(version), val(needed)));
  }

  /** Returns, in SQL, the version of a filter that another one was merged into. */
  static Field<Integer> merged(Field<Integer> version) {
    return version
        .minus(base(version))
        .plus(when(base(version).ge(REMOVABLE), val(REMOVABLE_MERGED)).otherwise(val(MERGED)));
  }

  /** Returns, in SQL, the version of the same filter if it expires, or if it does not. */
  static Field<Integer> expiring(boolean expires, Field<Integer> version) {
    return base(version).plus(expires ? EXPIRING : 0);
  }

  /** Returns the version of a new filter. */
  static int ofNew(boolean retainHashes, boolean removable, boolean expires) {
    int version = removable ? REMOVABLE : retainHashes ? REPLACEABLE : FIRST;
    return expires ? version + EXPIRING : version;
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
              + " only, and "
              + EXPIRING
              + " more where a filter expires. "
              + (version < FIRST
                  ? "Migrate the schema."
                  : "Use the version that wrote it, or a newer one."));
    }
  }
}
