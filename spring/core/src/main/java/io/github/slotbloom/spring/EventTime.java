package io.github.slotbloom.spring;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.beans.factory.BeanFactory;

/** The time at which the event of a call came up. Thread-safe. */
final class EventTime {

  private final AnnotatedMethod annotated;
  private final CallExpression expression;
  private final Duration window;
  private final Clock clock;

  EventTime(AnnotatedMethod annotated, Duration window, Clock clock, BeanFactory beans) {
    this.annotated = annotated;
    this.window = window;
    this.clock = clock;
    this.expression =
        new CallExpression(annotated, "eventTime", annotated.annotation().eventTime(), beans);
  }

  Instant of(MethodInvocation call) {
    Object value = expression.of(call);
    if (value instanceof Instant instant) {
      return instant;
    }
    if (value instanceof OffsetDateTime time) {
      return time.toInstant();
    }
    if (value instanceof ZonedDateTime time) {
      return time.toInstant();
    }
    throw new IllegalArgumentException(
        ("%s did not run: the event time of this call, '%s', is %s, and not an Instant,"
                + " OffsetDateTime or ZonedDateTime.")
            .formatted(annotated, expression, value == null ? "null" : value.getClass().getName()));
  }

  /**
   * Returns true if an event is so old that the window may have forgotten it. The clock of this
   * machine may differ from that of the database, which decides in the end.
   */
  boolean mayBeOver(Instant eventTime) {
    return eventTime.isBefore(clock.instant().minus(window.dividedBy(2)));
  }
}
