package io.github.slotbloom.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes maps, lists, text, numbers and truth values as JSON on one line. */
final class Json {

  private Json() {}

  static String of(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> quoted(entry.getKey().toString()) + ":" + of(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Json::of).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    return quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
              } else if (c < ' ') {
                json.append(String.format("\\u%04x", c));
              } else {
                json.append((char) c);
              }
            });
    return json.append('"').toString();
  }
}
