package io.github.slotbloom.cli.text;

import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import java.util.List;
import java.util.Map;

/** Prints names and values for people, one pair per line. */
public final class Figures {

  private Figures() {}

  public static void print(Output output, Map<String, Object> figures) {
    figures.forEach((name, value) -> print(output, "", name, value));
  }

  private static void print(Output output, String indent, String name, Object value) {
    if (value instanceof List<?> generations) {
      for (Object generation : generations) {
        output.println("generation");
        ((Map<?, ?>) generation)
            .forEach((key, figure) -> print(output, "  ", key.toString(), figure));
      }
    } else {
      output.println(String.format("%-28s%s", indent + name, Wording.oneLine(value.toString())));
    }
  }
}
