package io.github.slotbloom.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes maps, lists, text, numbers and truth values as JSON on one line. */
final class Json {

  private Json() {}

  static String of(Object value) {
    try {
      return JSON.std.asString(value);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write JSON: " + e.getMessage(), e);
    }
  }
}
