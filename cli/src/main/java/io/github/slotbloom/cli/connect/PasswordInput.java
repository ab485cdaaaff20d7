package io.github.slotbloom.cli.connect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.Environment;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.terminal.Terminal;
import io.github.slotbloom.cli.terminal.Wording;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds the password of an account where others cannot see it. No option takes the password itself,
 * because all users of a machine can read the arguments of its processes.
 *
 * @param ask if true, ask for the password on the terminal
 * @param file the file whose first line is the password
 */
public record PasswordInput(Account account, boolean ask, @Nullable Path file) {

  private static final int MOST_BYTES = 4096;

  public boolean given() {
    return ask || file != null;
  }

  /**
   * Returns the password from the arguments, or else from the environment. Null if neither has one.
   */
  public @Nullable String password(Surroundings surroundings) {
    Environment environment = surroundings.environment();
    if (ask && file != null) {
      throw new UsageException(
          "Use either " + account.password() + " or " + account.passwordFile() + ".");
    }
    if (ask) {
      return prompted(surroundings.terminal());
    }
    if (file != null) {
      return firstLine(file);
    }
    String direct = environment.get(account.passwordVariable());
    if (direct != null) {
      return direct;
    }
    String named = environment.get(account.passwordFileVariable());
    return named == null ? null : firstLine(Path.of(named));
  }

  // Before Java 22, this is null without a terminal. Since then, only the launcher can tell.
  @SuppressWarnings("SystemConsoleNull")
  private String prompted(Terminal terminal) {
    Console console = System.console();
    if (console == null || !terminal.isInput() || !terminal.isOutput()) {
      throw new UsageException(
          "There is no terminal to prompt for the password on; use "
              + account.passwordFile()
              + ", or set "
              + account.passwordVariable()
              + " or "
              + account.passwordFileVariable()
              + ".");
    }
    char[] typed =
        console.readPassword(
            switch (account) {
              case FILTERS -> "Password: ";
              case SOURCE -> "Password of the source: ";
              case CLIENTS -> "Password of the clients: ";
            });
    if (typed == null) {
      throw new UsageException("No password was entered.");
    }
    return new String(typed);
  }

  private static String firstLine(Path file) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new UsageException(
            "The password file "
                + file
                + " has more than "
                + MOST_BYTES
                + " bytes; name a file whose first line is the password.");
      }
      String content = Files.readString(file, UTF_8);
      String line = content.lines().findFirst().orElse("");
      if (line.isEmpty()) {
        throw new UsageException(
            "The password file " + file + " is empty; its first line must be the password.");
      }
      return line;
    } catch (NoSuchFileException e) {
      throw new UsageException("There is no password file " + file + ".", e);
    } catch (IOException e) {
      throw new CommandException(
          "Cannot read the password file " + file + ": " + Wording.reason(e) + ".", e);
    }
  }
}
