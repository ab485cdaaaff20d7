package io.github.slotbloom.cli.connect;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that give the password of the filters' database. */
final class PasswordOptions {

  @Option(
      names = "--password",
      scope = ScopeType.INHERIT,
      description =
          "Prompt for the password. (To avoid the prompt, set SLOTBLOOM_PASSWORD or"
              + " SLOTBLOOM_PASSWORD_FILE.)")
  private boolean ask;

  @Option(
      names = "--password-file",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      description = "File whose first line is the password (or SLOTBLOOM_PASSWORD_FILE).")
  private @Nullable Path file;

  PasswordInput input() {
    return new PasswordInput(Account.FILTERS, ask, file);
  }
}
