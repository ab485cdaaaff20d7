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

/** Asks the user before a command does something that cannot be undone. */
final class Confirmation {

  @Option(
      names = {"-y", "--yes"},
      description = "Skip the confirmation. Required without a terminal.")
  private boolean yes;

  /**
   * Asks the user, and returns if the user agrees.
   *
   * @param consequence the planned action, as a question
   * @param surroundings the place to ask
   * @throws CommandException if the user does not agree
   */
  void require(String consequence, Surroundings surroundings) {
    if (yes) {
      return;
    }
    if (!surroundings.terminal().isInput() || !surroundings.terminal().isError()) {
      throw new UsageException(
          "This cannot be undone, and there is no terminal to confirm it on; add --yes.");
    }
    surroundings.messages().draw(consequence + " [y/N] ");
    if (!agreed(surroundings.input())) {
      throw new CommandException("Nothing was changed.", null);
    }
  }

  private static boolean agreed(InputStream answers) {
    // Stays open: this class does not own standard input.
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
