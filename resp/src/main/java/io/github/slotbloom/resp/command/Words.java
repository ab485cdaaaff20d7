package io.github.slotbloom.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.resp.protocol.Request;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.regex.Pattern;

/** Reads the words of a request as names and numbers, as strictly as Redis does. */
final class Words {

  private static final Pattern NUMBER =
      Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,4})?");

  private static final Pattern WHOLE_NUMBER = Pattern.compile("-?[0-9]{1,19}");

  private Words() {}

  /**
   * Returns the name of a filter: a key, as Redis calls it.
   *
   * @throws CommandException if it is no text
   */
  static String name(Request request, int place) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(request.word(place))).toString();
    } catch (CharacterCodingException e) {
      throw new CommandException("ERR a filter name is text, and this key is not valid UTF-8");
    }
  }

  /**
   * Returns a whole number.
   *
   * @param noNumber the error if it is none
   */
  static long whole(Request request, int place, String noNumber) {
    String text = request.text(place);
    try {
      if (WHOLE_NUMBER.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException e) {
      // It has too many digits.
    }
    throw new CommandException(noNumber);
  }

  /** Returns a whole number of a command of Redis itself. */
  static long whole(Request request, int place) {
    return whole(request, place, "ERR value is not an integer or out of range");
  }

  /**
   * Returns a whole number within bounds.
   *
   * @param noNumber the error if it is no number
   * @param outside the error if it is less than the least or more than the most
   */
  static long whole(
      Request request, int place, long least, long most, String noNumber, String outside) {
    long value = whole(request, place, noNumber);
    if (value < least || value > most) {
      throw new CommandException(outside);
    }
    return value;
  }

  /**
   * Returns a number between 0 and 1.
   *
   * @param noNumber the error if it is no number
   * @param outside the error if it is not between these
   */
  static double rate(Request request, int place, String noNumber, String outside) {
    String text = request.text(place);
    if (!NUMBER.matcher(text).matches()) {
      throw new CommandException(noNumber);
    }
    double rate = Double.parseDouble(text);
    if (!(rate > 0 && rate < 1)) {
      throw new CommandException(outside);
    }
    return rate;
  }
}
