package io.github.slotbloom.cli.text;

import io.github.slotbloom.cli.terminal.Output;
import io.github.slotbloom.cli.terminal.Wording;
import java.util.Map;

/** Prints names and values for people, one pair per line. */
public final class Figures {

  private Figures() {}

  public static void print(Output output, Map<String, Object> figures) {
    figures.forEach(
        (name, value) ->
            output.println(String.format("%-28s%s", name, Wording.oneLine(value.toString()))));
  }
}
