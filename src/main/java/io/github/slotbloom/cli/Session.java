package io.github.slotbloom.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.cli.embedded.EmbeddedDatabase;
import io.github.slotbloom.error.SchemaException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The way to the database for the time of one command. */
final class Session implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final int CONNECT_MILLIS = 10_000;

  private final @Nullable EmbeddedDatabase embedded;
  private final HikariDataSource pool;
  private final SlotBloom bloom;

  private Session(@Nullable EmbeddedDatabase embedded, HikariDataSource pool) {
    this.embedded = embedded;
    this.pool = pool;
    bloom = SlotBloom.on(pool);
  }

  static Session open(DatabaseOptions options) {
    String url = options.url();
    if (url != null) {
      return new Session(null, connect(url, options.user(), options.password()));
    }
    EmbeddedDatabase embedded =
        EmbeddedDatabase.open(options.home(), options.cache(), Messages::notice);
    try {
      return new Session(embedded, connect(embedded.url(), embedded.user(), embedded.password()));
    } catch (RuntimeException e) {
      embedded.close();
      throw e;
    }
  }

  SlotBloom bloom() {
    return bloom;
  }

  /** Does what needs the tables. In the embedded database they are made if they are missing. */
  <T> T withTables(Supplier<T> action) {
    return withTables(embedded != null, action);
  }

  /** Does what makes things, and makes the tables as well if they are missing, in any database. */
  <T> T makingTables(Supplier<T> action) {
    return withTables(true, action);
  }

  private <T> T withTables(boolean mayMake, Supplier<T> action) {
    try {
      return action.get();
    } catch (SchemaException e) {
      if (!mayMake) {
        throw e;
      }
      bloom.migrate();
      return action.get();
    }
  }

  @Override
  public void close() {
    try (embedded;
        pool) {
      bloom.close();
    }
  }

  private static HikariDataSource connect(
      String url, @Nullable String user, @Nullable String password) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("slotbloom");
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT_MILLIS);
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      throw new CommandException(
          "Cannot connect to "
              + withoutSecrets(url)
              + (user == null ? "" : " as " + user)
              + " ("
              + Messages.connectionFailure(e).replace(url, withoutSecrets(url))
              + "); check the address, the account and that the server runs.",
          e);
    }
  }

  /**
   * The part of a URL that names the database: neither an account before the host nor properties.
   */
  static String withoutSecrets(String url) {
    return url.replaceFirst("[?].*", "")
        .replaceFirst("//.*@", "//")
        .replaceAll("(?i)password=[^,)]*", "password=...");
  }
}
