package io.github.slotbloom.cli;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Which database to use: one given by URL, else the embedded one. */
final class DatabaseOptions {

  @Option(
      names = "--url",
      scope = ScopeType.INHERIT,
      paramLabel = "URL",
      description =
          "JDBC URL of a MySQL or MariaDB database, as jdbc:mysql://host:3306/name (or"
              + " SLOTBLOOM_URL). Without one, an embedded MariaDB is used.")
  private @Nullable String url;

  @Option(
      names = "--user",
      scope = ScopeType.INHERIT,
      paramLabel = "USER",
      description = "Account for the URL (or SLOTBLOOM_USER).")
  private @Nullable String user;

  @Option(
      names = "--password",
      scope = ScopeType.INHERIT,
      paramLabel = "PASSWORD",
      description =
          "Its password. Other users can see the arguments of a process: rather set"
              + " SLOTBLOOM_PASSWORD.")
  private @Nullable String password;

  @Option(
      names = "--home",
      scope = ScopeType.INHERIT,
      paramLabel = "DIR",
      description =
          "Where the embedded database is kept (or SLOTBLOOM_HOME). Default:"
              + " $XDG_DATA_HOME/slotbloom or ~/.local/share/slotbloom.")
  private @Nullable Path home;

  private final Map<String, String> environment = System.getenv();

  /**
   * The URL that was given; an empty one counts as none, and a home in the arguments overrides the
   * environment's.
   */
  @Nullable String url() {
    if (url != null) {
      if (home != null) {
        throw new UsageException(
            "Give either --url or --home: the home is the embedded database's.");
      }
      return required(url);
    }
    String fromEnvironment = variable("SLOTBLOOM_URL");
    if (home == null && fromEnvironment != null) {
      return required(fromEnvironment);
    }
    if (user != null || password != null) {
      throw new UsageException("--user and --password belong to a --url, and there is none.");
    }
    return null;
  }

  private static String required(String url) {
    if (!url.startsWith("jdbc:mysql://")) {
      // Neither jdbc:mysql:replication: nor others that would read where nobody writes.
      throw new UsageException(
          "The URL must begin with jdbc:mysql://, as jdbc:mysql://localhost:3306/slotbloom (for"
              + " MariaDB too).");
    }
    return url;
  }

  @Nullable String user() {
    return user != null ? user : variable("SLOTBLOOM_USER");
  }

  @Nullable String password() {
    return password != null ? password : variable("SLOTBLOOM_PASSWORD");
  }

  Path home() {
    if (home != null) {
      return home;
    }
    String fromEnvironment = variable("SLOTBLOOM_HOME");
    if (fromEnvironment != null) {
      return Path.of(fromEnvironment);
    }
    Path data = standardDirectory("XDG_DATA_HOME", ".local/share");
    if (data == null) {
      throw new UsageException(
          "There is no place for the embedded database, since HOME is not set; name a directory"
              + " with --home or SLOTBLOOM_HOME, or a database with --url.");
    }
    return data.resolve("slotbloom");
  }

  /** Where the programs of the embedded database go; all homes share them. */
  Path cache() {
    Path cache = standardDirectory("XDG_CACHE_HOME", ".cache");
    return cache != null ? cache.resolve("slotbloom") : home().resolve("cache");
  }

  private @Nullable Path standardDirectory(String variable, String belowHome) {
    String directory = variable(variable);
    // The standard says that a relative path there is to be ignored.
    if (directory != null && Path.of(directory).isAbsolute()) {
      return Path.of(directory);
    }
    String userHome = variable("HOME");
    return userHome == null ? null : Path.of(userHome, belowHome);
  }

  private @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
