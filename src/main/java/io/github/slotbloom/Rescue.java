package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Why keys of a block list are rescued, by whom and until when. Immutable.
 *
 * <p>{@code Rescue.because("listed by mistake").by("ann").until(nextMonday)}
 */
public final class Rescue {

  /** The most characters of a reason. */
  public static final int MAX_REASON = 500;

  /** The most characters of a name. */
  public static final int MAX_NAME = 255;

  private static final Duration LONGEST = Duration.ofDays(365_000);

  private final String reason;
  private final Optional<String> by;
  private final Optional<Instant> until;
  private final Optional<Duration> lasting;

  private Rescue(
      String reason, Optional<String> by, Optional<Instant> until, Optional<Duration> lasting) {
    this.reason = reason;
    this.by = by;
    this.until = until;
    this.lasting = lasting;
  }

  /**
   * Creates a rescue without end, by the account that connects to the database.
   *
   * @param reason says to people why the keys are not blocked; 1 to {@value #MAX_REASON} characters
   * @return the rescue
   * @throws InvalidParameterException if it is blank or longer
   */
  public static Rescue because(String reason) {
    return new Rescue(
        text("The reason of a rescue", reason, MAX_REASON),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Returns a rescue that names who is behind it.
   *
   * @param name a person or a program; 1 to {@value #MAX_NAME} characters
   * @return a new rescue
   * @throws InvalidParameterException if it is blank or longer
   */
  public Rescue by(String name) {
    String given = text("The name of who rescues", name, MAX_NAME);
    return new Rescue(reason, Optional.of(given), until, lasting);
  }

  /**
   * Returns a rescue that ends automatically. From then on the keys are blocked again.
   *
   * @param end must be in the future when the keys are rescued, by the database clock; kept to the
   *     millisecond
   * @return a new rescue
   * @throws InvalidParameterException if it is not in the years 1970 to 9999
   */
  public Rescue until(Instant end) {
    Instant stored = FilterSpec.requireStorable("A rescue cannot end", end);
    return new Rescue(reason, by, Optional.of(stored), Optional.empty());
  }

  /**
   * Returns a rescue that ends automatically so long after the keys are rescued, by the database
   * clock.
   *
   * @param duration from a millisecond to 365,000 days
   * @return a new rescue
   * @throws InvalidParameterException if it is outside its range
   */
  public Rescue lasting(Duration duration) {
    if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(LONGEST) > 0) {
      throw new InvalidParameterException(
          "A rescue cannot last %s. Use a duration from a millisecond to %s days."
              .formatted(duration, LONGEST.toDays()));
    }
    return new Rescue(reason, by, Optional.empty(), Optional.of(duration));
  }

  private static String text(String what, String given, int most) {
    int length = given.codePointCount(0, given.length());
    if (given.isBlank() || length > most) {
      throw new InvalidParameterException(
          "%s must have 1 to %s characters, and not only spaces; it has %s: \"%s\"."
              .formatted(what, most, length, given));
    }
    return given;
  }

  /** {@return why the keys are rescued} */
  public String reason() {
    return reason;
  }

  /** {@return who rescues them; empty for the account that connects to the database} */
  public Optional<String> by() {
    return by;
  }

  /**
   * Returns when the rescue ends, if it begins at a given moment.
   *
   * @param begin by the database clock
   * @return the end; empty for never
   */
  public Optional<Instant> end(Instant begin) {
    return lasting.isPresent()
        ? lasting.map(begin::plus).map(end -> end.truncatedTo(ChronoUnit.MILLIS))
        : until;
  }
}
