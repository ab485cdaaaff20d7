package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.connect.Account;
import io.github.slotbloom.cli.connect.PasswordInput;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that give the password which Redis clients need. */
final class ClientPasswordOptions {

  @Option(
      names = "--client-password",
      description =
          "Prompt for the password that clients must send. (To avoid the prompt, set"
              + " SLOTBLOOM_CLIENT_PASSWORD or SLOTBLOOM_CLIENT_PASSWORD_FILE.)")
  private boolean ask;

  @Option(
      names = "--client-password-file",
      paramLabel = "FILE",
      description =
          "File whose first line is the password that clients must send (or"
              + " SLOTBLOOM_CLIENT_PASSWORD_FILE).")
  private @Nullable Path file;

  /** Returns the password; null if clients need none. */
  @Nullable String password(Surroundings surroundings) {
    return new PasswordInput(Account.CLIENTS, ask, file).password(surroundings);
  }
}
