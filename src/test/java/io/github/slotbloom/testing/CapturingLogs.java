package io.github.slotbloom.testing;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.simple.SimpleLogger;
import org.slf4j.simple.SimpleLoggerFactory;
import org.slf4j.simple.SimpleServiceProvider;

/**
 * The logging of the tests. It is slf4j-simple, but warnings and errors go to {@link LogCapture}
 * while a test class runs. Other processes that tests start use slf4j-simple itself.
 */
public final class CapturingLogs extends SimpleServiceProvider {

  private final ILoggerFactory loggers =
      new SimpleLoggerFactory() {
        @Override
        protected Logger createLogger(String name) {
          return new CapturingLogger(name);
        }
      };

  @Override
  public ILoggerFactory getLoggerFactory() {
    return loggers;
  }

  private static final class CapturingLogger extends SimpleLogger {

    @Serial private static final long serialVersionUID = 1;

    CapturingLogger(String name) {
      super(name);
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String pattern,
        Object @Nullable [] arguments,
        @Nullable Throwable thrown) {
      String message = MessageFormatter.basicArrayFormat(pattern, arguments);
      if (level.toInt() < Level.WARN.toInt()
          || !LogCapture.keep(level, getName(), message, thrown)) {
        super.handleNormalizedLoggingCall(level, marker, pattern, arguments, thrown);
      }
    }

    @Override
    public void log(LoggingEvent event) {
      if (event.getLevel().toInt() < Level.WARN.toInt()) {
        super.log(event);
      } else if (isEnabledForLevel(event.getLevel())) {
        handleNormalizedLoggingCall(
            event.getLevel(),
            null,
            event.getMessage(),
            event.getArgumentArray(),
            event.getThrowable());
      }
    }
  }
}
