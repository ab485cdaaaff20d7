package io.github.slotbloom.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * Where the password comes from. There is no option that takes the password itself: all users of a
 * machine can read the arguments of its processes.
 */
final class PasswordOptions {

  private static final int MOST_BYTES = 4096;

  static final String ASK = "--password";

  @Option(
      names = ASK,
      scope = ScopeType.INHERIT,
      description =
          "Ask for the password on the terminal. (SLOTBLOOM_PASSWORD and SLOTBLOOM_PASSWORD_FILE"
              + " give it without asking.)")
  private boolean ask;

  @Option(
      names = "--password-file",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description = "File whose first line is the password (or SLOTBLOOM_PASSWORD_FILE).")
  private @Nullable Path file;

  boolean given() {
    return ask || file != null;
  }

  /** The password that the arguments lead to, else the environment; null if neither does. */
  @Nullable String password(Environment environment) {
    if (ask && file != null) {
      throw new UsageException("Give either --password or --password-file.");
    }
    if (ask) {
      return prompted();
    }
    if (file != null) {
      return firstLine(file);
    }
    String direct = environment.get("SLOTBLOOM_PASSWORD");
    if (direct != null) {
      return direct;
    }
    String named = environment.get("SLOTBLOOM_PASSWORD_FILE");
    return named == null ? null : firstLine(Path.of(named));
  }

  // Before Java 22 it is null without a terminal; since then the launcher's word counts.
  @SuppressWarnings("SystemConsoleNull")
  private static String prompted() {
    Console console = System.console();
    if (console == null || !Terminal.isInput() || !Terminal.isOutput()) {
      throw new UsageException(
          "There is no terminal to ask for the password on; give --password-file, or set"
              + " SLOTBLOOM_PASSWORD or SLOTBLOOM_PASSWORD_FILE.");
    }
    char[] typed = console.readPassword("Password: ");
    if (typed == null) {
      throw new UsageException("No password was typed.");
    }
    return new String(typed);
  }

  private static String firstLine(Path file) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new UsageException(
            "The password file " + file + " has more than " + MOST_BYTES + " bytes; is it one?");
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
          "Cannot read the password file " + file + ": " + Messages.reason(e) + ".", e);
    }
  }
}
