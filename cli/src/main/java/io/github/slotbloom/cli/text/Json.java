package io.github.slotbloom.cli.text;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes maps, lists, text, numbers and booleans as JSON on one line. */
public final class Json {

  private Json() {}

  public static String of(Object value) {
    try {
      return JSON.std.asString(value);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write JSON: " + e.getMessage(), e);
    }
  }
}
