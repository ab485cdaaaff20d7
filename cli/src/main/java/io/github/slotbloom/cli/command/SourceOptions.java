package io.github.slotbloom.cli.command;

import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.UsageException;
import io.github.slotbloom.cli.connect.Account;
import io.github.slotbloom.cli.connect.JdbcUrl;
import io.github.slotbloom.cli.connect.PasswordInput;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that choose the database for a key query: one given by URL, or else the filter's own.
 */
final class SourceOptions {

  @Option(
      names = "--source-url",
      paramLabel = "URL",
      description =
          "JDBC URL of the MySQL or MariaDB database to run the query on (or SLOTBLOOM_SOURCE_URL)."
              + " Default: the filter's database.")
  private @Nullable String url;

  @Option(
      names = "--source-user",
      paramLabel = "USER",
      description = "Account for --source-url (or SLOTBLOOM_SOURCE_USER).")
  private @Nullable String user;

  @Option(
      names = "--source-password",
      description =
          "Prompt for its password. (To avoid the prompt, set SLOTBLOOM_SOURCE_PASSWORD or"
              + " SLOTBLOOM_SOURCE_PASSWORD_FILE.)")
  private boolean ask;

  @Option(
      names = "--source-password-file",
      paramLabel = "FILE",
      description = "File whose first line is its password (or SLOTBLOOM_SOURCE_PASSWORD_FILE).")
  private @Nullable Path file;

  /** Returns the given URL, or null for the filter's own database. */
  @Nullable JdbcUrl url(Surroundings surroundings) {
    PasswordInput password = new PasswordInput(Account.SOURCE, ask, file);
    String fromEnvironment = surroundings.environment().get(Account.SOURCE.urlVariable());
    if (url != null) {
      return JdbcUrl.ofArgument(url, Account.SOURCE).withGiven(user, password, surroundings);
    }
    if (fromEnvironment != null) {
      return JdbcUrl.parse(fromEnvironment, Account.SOURCE).withGiven(user, password, surroundings);
    }
    if (user != null || password.given()) {
      throw new UsageException(
          "--source-user, --source-password and --source-password-file require --source-url.");
    }
    return null;
  }
}
