package io.github.slotbloom.internal.schema;

import java.util.function.Supplier;
import org.flywaydb.core.api.configuration.ClassicConfiguration;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.flywaydb.core.api.logging.LogFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on what Flyway says, all at the level DEBUG. It tells of each step, and asks to restore
 * backups where only a right is missing; whoever calls us gets one line or one exception instead.
 */
final class FlywayLog implements Log {

  /** Makes these logs. Flyway makes it by its name. */
  public static final class Creator implements LogCreator {
    @Override
    public Log createLogger(Class<?> source) {
      return new FlywayLog(source);
    }
  }

  private final Logger log;

  private FlywayLog(Class<?> source) {
    log = LoggerFactory.getLogger(source);
  }

  /**
   * Runs work of Flyway. What it logs to is one setting of the whole process, which is given back
   * to the default afterwards; one call at a time has it.
   */
  static synchronized <T> T during(Supplier<T> work) {
    try {
      return work.get();
    } finally {
      LogFactory.setConfiguration(new ClassicConfiguration());
    }
  }

  /** Flyway 11, which Spring Boot 3.5 and 4.0 bring, has no default for this. */
  @Override
  @SuppressWarnings("deprecation")
  public boolean isDebugEnabled() {
    return log.isDebugEnabled();
  }

  @Override
  public void debug(String message) {
    log.debug(message);
  }

  @Override
  public void info(String message) {
    log.debug(message);
  }

  @Override
  public void warn(String message) {
    log.debug(message);
  }

  @Override
  public void error(String message) {
    log.debug(message);
  }

  @Override
  public void error(String message, Exception e) {
    log.debug(message, e);
  }

  @Override
  public void notice(String message) {
    log.debug(message);
  }
}
