package io.github.slotbloom.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The environment variables. An empty variable counts as missing. */
public record Environment(Map<String, String> variables) {

  static Environment ofProcess() {
    return new Environment(System.getenv());
  }

  public @Nullable String get(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
