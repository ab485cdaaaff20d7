package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A valid filter name: it matches {@code [a-z][a-z0-9_]{0,39}}. Identifiers in SQL are made only
 * from such names.
 *
 * @param value the name
 */
public record FilterName(String value) {

  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9_]{0,39}");

  /**
   * Creates a name and checks it.
   *
   * @param value the name
   * @throws InvalidParameterException if it does not match
   */
  public FilterName {
    Objects.requireNonNull(value, "name");
    if (!VALID.matcher(value).matches()) {
      throw new InvalidParameterException(
          "A filter name has 1 to 40 of the characters a-z, 0-9 and _, beginning with a letter, but this one is "
              + Quoted.of(value)
              + ".");
    }
  }

  /**
   * Returns the name of the slot table of a generation. Two different filters never share a table
   * name.
   *
   * @param generation number of the generation, counted from 1
   * @return {@code bloom_bits_<name>_v<generation>}
   */
  public String slotTable(int generation) {
    return "bloom_bits_" + value + "_v" + generation;
  }

  /**
   * Returns the name of the table with the removed hashes.
   *
   * @param generation number of the oldest generation when the filter was made, so that no later
   *     filter of the same name gets the same table
   * @return {@code bloom_removed_<name>_v<generation>}
   */
  public String removedTable(int generation) {
    return "bloom_removed_" + value + "_v" + generation;
  }

  /**
   * {@return true if a table of that name may hold the removed hashes of a filter of this name}
   *
   * @param table any name
   */
  public boolean isRemovedTable(String table) {
    return table.matches("bloom_removed_" + value + "_v[0-9]{1,10}");
  }

  @Override
  public String toString() {
    return value;
  }
}
