package io.github.slotbloom.resp.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.resp.protocol.Request;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.OptionalDouble;
import java.util.OptionalLong;
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
      throw new CommandException(
          "ERR the name of a filter is text, and this key is not valid UTF-8");
    }
  }

  /** Returns a whole number; empty if it is none. */
  static OptionalLong whole(Request request, int place) {
    String text = request.text(place);
    try {
      return WHOLE_NUMBER.matcher(text).matches()
          ? OptionalLong.of(Long.parseLong(text))
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Returns a whole number of a command of Redis itself. */
  static long requireWhole(Request request, int place) {
    return whole(request, place)
        .orElseThrow(() -> new CommandException("ERR value is not an integer or out of range"));
  }

  /** Returns a number; empty if it is none. */
  static OptionalDouble number(Request request, int place) {
    String text = request.text(place);
    return NUMBER.matcher(text).matches()
        ? OptionalDouble.of(Double.parseDouble(text))
        : OptionalDouble.empty();
  }
}
