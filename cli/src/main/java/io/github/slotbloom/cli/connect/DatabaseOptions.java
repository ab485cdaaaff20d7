package io.github.slotbloom.cli.connect;

import io.github.slotbloom.cli.Environment;
import io.github.slotbloom.cli.Surroundings;
import io.github.slotbloom.cli.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that choose the database: one given by URL, or else the embedded one. */
public final class DatabaseOptions {

  @Option(
      names = "--url",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      description =
          "JDBC URL of a MySQL or MariaDB database, such as jdbc:mysql://host:3306/name (or"
              + " SLOTBLOOM_URL). Default: an embedded MariaDB.")
  private @Nullable String url;

  @Option(
      names = "--user",
      scope = ScopeType.INHERIT,
      paramLabel = "USER",
      description = "Account for --url (or SLOTBLOOM_USER).")
  private @Nullable String user;

  @Mixin private final PasswordOptions password = new PasswordOptions();

  @Option(
      names = "--home",
      scope = ScopeType.INHERIT,
      paramLabel = "DIR",
      description =
          "Directory of the embedded database (or SLOTBLOOM_HOME). Default:"
              + " $XDG_DATA_HOME/slotbloom or ~/.local/share/slotbloom.")
  private @Nullable Path home;

  @Option(
      names = "--timeout",
      scope = ScopeType.INHERIT,
      paramLabel = "SECONDS",
      description =
          "How long to keep trying if the database does not answer, 1 to 600. Default:"
              + " ${DEFAULT-VALUE}.")
  private int timeoutSeconds = 30;

  private final Surroundings surroundings;
  private final Environment environment;

  public DatabaseOptions(Surroundings surroundings) {
    this.surroundings = surroundings;
    environment = surroundings.environment();
  }

  /** Returns the given URL. A home in the arguments overrides a URL in the environment. */
  public @Nullable JdbcUrl url() {
    if (url != null) {
      if (home != null) {
        throw new UsageException(
            "--url and --home cannot be combined: --home is for the embedded database.");
      }
      return JdbcUrl.ofArgument(url, Account.FILTERS)
          .withGiven(user, password.input(), surroundings);
    }
    String fromEnvironment = environment.get(Account.FILTERS.urlVariable());
    if (home == null && fromEnvironment != null) {
      return JdbcUrl.parse(fromEnvironment, Account.FILTERS)
          .withGiven(user, password.input(), surroundings);
    }
    if (user != null || password.input().given()) {
      throw new UsageException("--user, --password and --password-file require --url.");
    }
    return null;
  }

  Duration timeout() {
    if (timeoutSeconds < 1 || timeoutSeconds > 600) {
      throw new UsageException("--timeout takes 1 to 600 seconds, not " + timeoutSeconds + ".");
    }
    return Duration.ofSeconds(timeoutSeconds);
  }

  public Path home() {
    if (home != null) {
      if (home.toString().isEmpty()) {
        throw new UsageException("--home is empty; name a directory.");
      }
      return home;
    }
    String fromEnvironment = environment.get("SLOTBLOOM_HOME");
    if (fromEnvironment != null) {
      return Path.of(fromEnvironment);
    }
    Path data = standardDirectory("XDG_DATA_HOME", ".local/share");
    if (data == null) {
      throw new UsageException(
          "The embedded database has no directory because HOME is not set; name a directory with"
              + " --home or SLOTBLOOM_HOME, or a database with --url.");
    }
    return data.resolve("slotbloom");
  }

  /** Returns the directory for the programs of the embedded database. All homes share it. */
  public Path cache() {
    Path cache = standardDirectory("XDG_CACHE_HOME", ".cache");
    return cache != null ? cache.resolve("slotbloom") : home().resolve("cache");
  }

  private @Nullable Path standardDirectory(String variable, String belowHome) {
    String directory = environment.get(variable);
    // The XDG standard says to ignore a relative path here.
    if (directory != null && Path.of(directory).isAbsolute()) {
      return Path.of(directory);
    }
    String userHome = environment.get("HOME");
    return userHome == null ? null : Path.of(userHome, belowHome);
  }
}
