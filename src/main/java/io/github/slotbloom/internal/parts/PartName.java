package io.github.slotbloom.internal.parts;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a filter that is one of several parts, as in {@code pages_0_of_4}. It is stored, so
 * it tells every process how many parts there are, and which one this is.
 *
 * @param set the name of all parts together
 * @param index number of the part, from 0
 * @param parts how many there are
 */
public record PartName(String set, int index, int parts) {

  /** The most parts. Each takes a heartbeat and threads of its own in each process. */
  public static final int MOST_PARTS = 1_000;

  private static final Pattern FORM =
      Pattern.compile("(?s)(.+)_(0|[1-9][0-9]{0,2})_of_([1-9][0-9]{0,3})");

  /**
   * Creates a name and checks it.
   *
   * @throws InvalidParameterException if the number of parts is outside its range, or the name is
   *     no name of a filter
   */
  public PartName {
    if (parts < 1 || parts > MOST_PARTS) {
      throw new InvalidParameterException(
          "A filter has 1 to " + MOST_PARTS + " parts, but not " + parts + ".");
    }
    FilterName unused = new FilterName(filter(set, index, parts));
  }

  /** Returns the name of a part, or nothing if the filter of that name is no part. */
  public static Optional<PartName> parse(String filter) {
    Matcher matcher = FORM.matcher(filter);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int index = Integer.parseInt(matcher.group(2));
    int parts = Integer.parseInt(matcher.group(3));
    return index < parts && parts <= MOST_PARTS
        ? Optional.of(new PartName(matcher.group(1), index, parts))
        : Optional.empty();
  }

  private static String filter(String set, int index, int parts) {
    return set + "_" + index + "_of_" + parts;
  }

  public String filter() {
    return filter(set, index, parts);
  }

  /** Returns the name of the filter as messages show it. */
  @Override
  public String toString() {
    return Quoted.name(filter());
  }
}
