package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.FilterName;
import java.util.Locale;

/**
 * The names of the tables that one filter has for itself, and of its stored function. The number of
 * the filter is in each of them and is never used twice, so no two filters meet in one table,
 * whatever they are or were called. A filter that is renamed keeps these names.
 *
 * @param filterId number of the filter
 * @param label what tells people which filter it is; may be empty
 */
public record TableNames(long filterId, String label) {

  /** So short that no identifier is too long for the servers, which allow 64 characters. */
  private static final int LONGEST_LABEL = 24;

  /** Returns what can be read of a name in an identifier; empty if nothing can. */
  public static String label(FilterName name) {
    String readable =
        name.value().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_").replaceFirst("^_", "");
    return readable.substring(0, Math.min(readable.length(), LONGEST_LABEL)).replaceFirst("_$", "");
  }

  /** Returns true if {@link #label} returns such a text, so that it may become part of SQL. */
  public static boolean isLabel(String text) {
    return text.matches("[a-z0-9_]{0," + LONGEST_LABEL + "}");
  }

  /** Returns the name of the table with the bits of a generation. */
  public String slots(int generation) {
    return "bloom_bits_" + stem() + "_v" + generation;
  }

  /** Returns the name of the table with the removed hashes. */
  public String removed() {
    return "bloom_removed_" + stem();
  }

  /** Returns the name of the stored function that looks up keys in the filter. */
  public String function() {
    return "bloom_" + stem() + "_might_contain";
  }

  private String stem() {
    return label.isEmpty() ? Long.toString(filterId) : filterId + "_" + label;
  }
}
