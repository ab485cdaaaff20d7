package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.Objects;

/**
 * A valid filter name: text of 1 to 200 characters, none of which is a control character. Names are
 * compared exactly, as in {@link String#equals}.
 *
 * @param value the name
 */
public record FilterName(String value) {

  private static final int LONGEST = 200;

  /**
   * Creates a name and checks it.
   *
   * @param value the name
   * @throws InvalidParameterException if it cannot be one
   */
  public FilterName {
    Objects.requireNonNull(value, "name");
    int length = value.codePointCount(0, value.length());
    if (length < 1 || length > LONGEST || !value.codePoints().allMatch(FilterName::isText)) {
      throw new InvalidParameterException(
          "A filter name has 1 to 200 characters, no control characters and no half of a surrogate"
              + " pair, but this one is "
              + Quoted.of(value)
              + ".");
    }
  }

  private static boolean isText(int c) {
    return !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE;
  }

  /** Returns the name as messages show it: in quotes, unless it is plain. */
  @Override
  public String toString() {
    return Quoted.name(value);
  }
}
