package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Stands before what cannot be undone. */
final class Confirmation {

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask. Needed where there is no terminal.")
  private boolean yes;

  /**
   * Returns if the user agrees.
   *
   * @param consequence what will be done, as a question
   * @param surroundings where to ask
   * @throws CommandException if the user does not
   */
  void require(String consequence, Surroundings surroundings) {
    if (yes) {
      return;
    }
    if (!surroundings.terminal().isInput() || !surroundings.terminal().isError()) {
      throw new UsageException(
          "This cannot be undone, and there is no terminal to ask on; give --yes.");
    }
    surroundings.messages().draw(consequence + " [y/N] ");
    if (!agreed(surroundings.input())) {
      throw new CommandException("Nothing was changed.", null);
    }
  }

  private static boolean agreed(InputStream answers) {
    // Not closed: standard input is not ours to close.
    BufferedReader input =
        new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8));
    try {
      String answer = input.readLine();
      return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    } catch (IOException e) {
      throw new CommandException("Cannot read the answer: " + Wording.reason(e) + ".", e);
    }
  }
}
