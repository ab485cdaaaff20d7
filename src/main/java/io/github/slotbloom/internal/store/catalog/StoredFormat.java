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

  /** The version of a filter whose keys expire. */
  static final int WINDOW = 11;

  /** The version of a filter whose keys expire, and can be removed before. */
  static final int REMOVABLE_WINDOW = 12;

  /** The newest version, without everything that is added to it. */
  private static final int NEWEST = REMOVABLE_WINDOW;

  /**
   * A filter that expires has this much more than the version that it would have otherwise.
   * Versions of this library that know of no expiry refuse it, whatever else they know.
   */
  private static final int EXPIRING = 64;

  /**
   * A filter of which a key was ever rescued has this much more. Its journal has entries that say
   * so.
   */
  private static final int RESCUED = 2 * EXPIRING;

  /** The version of a row without everything that is added to it. */
  private static final Field<Integer> BASE = Filters.FORMAT_VERSION.mod(EXPIRING);

  private StoredFormat() {}

  /** Returns true if another filter was merged into a filter of that version. */
  public static boolean isMerged(int version) {
    return base(version) == MERGED || base(version) == REMOVABLE_MERGED;
  }

  /** Returns true if keys can be removed from a filter of that version. */
  public static boolean isRemovable(int version) {
    int base = base(version);
    return base == REMOVABLE || base == REMOVABLE_MERGED || base == REMOVABLE_WINDOW;
  }

  /** Returns true if the keys of a filter of that version expire. */
  static boolean isWindow(int version) {
    return base(version) == WINDOW || base(version) == REMOVABLE_WINDOW;
  }

  /** Returns true if generations of a filter of that version can be replaced. */
  static boolean isReplaceable(int version) {
    return base(version) >= REPLACEABLE;
  }

  /** Returns true if a filter of that version expires. */
  static boolean isExpiring(int version) {
    return (version & EXPIRING) != 0;
  }

  /** Returns true if a key of a filter of that version was ever rescued. */
  public static boolean isRescued(int version) {
    return (version & RESCUED) != 0;
  }

  /**
   * Returns that version as it is before a key of the filter is rescued and afterward, as SQL lists
   * them. Who reads no rescues need not tell one from the other.
   */
  public static String rescuedOrNot(int version) {
    int before = version & ~RESCUED;
    return before + ", " + (before | RESCUED);
  }

  /** Returns true if this library can read a filter of that version. */
  public static boolean isKnown(int version) {
    return base(version) >= FIRST && base(version) <= NEWEST && version < 2 * RESCUED;
  }

  /**
   * Returns the condition, in SQL, for a filter that this library can read and whose time is not
   * over.
   */
  public static Condition isKnownAndLasts() {
    return Filters.FORMAT_VERSION
        .lt(2 * RESCUED)
        .and(BASE.between(FIRST, NEWEST))
        .and(Filters.FORMAT_VERSION.mod(RESCUED).lt(EXPIRING).or(ExpirySql.IS_TO_COME));
  }

  private static int base(int version) {
    return version % EXPIRING;
  }

  /** Returns the version of a row, raised to at least that of filters of some kind. */
  static Field<Integer> atLeast(int version) {
    return onBase(greatest(BASE, val(version)));
  }

  /** Returns the version of a row after another filter was merged into the filter. */
  static Field<Integer> merged() {
    return onBase(when(BASE.ge(REMOVABLE), val(REMOVABLE_MERGED)).otherwise(val(MERGED)));
  }

  /** Returns the version of a row if its filter expires, or if it does not. */
  static Field<Integer> expiring(boolean expires) {
    Field<Integer> lasting =
        Filters.FORMAT_VERSION.minus(
            when(Filters.FORMAT_VERSION.mod(RESCUED).ge(EXPIRING), val(EXPIRING))
                .otherwise(val(0)));
    return lasting.plus(expires ? EXPIRING : 0);
  }

  /** Returns the version of a row after a key of the filter was rescued. */
  static Field<Integer> rescued() {
    return Filters.FORMAT_VERSION.plus(
        when(Filters.FORMAT_VERSION.ge(RESCUED), val(0)).otherwise(val(RESCUED)));
  }

  private static Field<Integer> onBase(Field<Integer> base) {
    return Filters.FORMAT_VERSION.minus(BASE).plus(base);
  }

  /** Returns the version of a new filter. */
  static int ofNew(boolean retainHashes, boolean removable, boolean isWindow, boolean expires) {
    int lasting = removable ? REMOVABLE : retainHashes ? REPLACEABLE : FIRST;
    int version = isWindow ? (removable ? REMOVABLE_WINDOW : WINDOW) : lasting;
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
              + " only, with 64 more where a filter expires and 128 more where a key was rescued. "
              + (version < FIRST
                  ? "Migrate the schema."
                  : "Use the version that wrote it, or a newer one."));
    }
  }
}
