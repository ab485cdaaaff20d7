package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.time.Instant;

/**
 * How long the keys of a filter are found. Time is cut into buckets of equal length, numbered from
 * the start of 1970 in UTC, by the database clock. A key is found for that many buckets after the
 * one in which it was added. So it is found for at least the length of the window, and for at most
 * one bucket more. Immutable.
 *
 * @param length the time for which a key is found at least: {@code buckets} times at least a second
 *     and at most a year, in whole milliseconds
 * @param buckets the number of buckets in that time, from 1 to {@value #MAX_BUCKETS}; with more of
 *     them keys go more promptly, and lookups take longer
 * @param renews true if adding a key again lets it live as long as if it had been added now; false
 *     if the first add counts
 */
public record Window(Duration length, int buckets, boolean renews) {

  /** The largest number of buckets. */
  public static final int MAX_BUCKETS = 96;

  private static final Duration SHORTEST_BUCKET = Duration.ofSeconds(1);
  private static final Duration LONGEST_BUCKET = Duration.ofDays(366);

  /** The difference between the clocks of two machines that is taken for normal. */
  private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(1);

  /**
   * Checks the numbers.
   *
   * @param length the time for which a key is found at least
   * @param buckets the number of buckets in that time
   * @param renews true if adding a key again extends its lifetime
   * @throws InvalidParameterException if one is outside its range
   */
  public Window {
    if (buckets < 1 || buckets > MAX_BUCKETS) {
      throw new InvalidParameterException(
          "A window cannot have %s buckets. Use 1 to %s.".formatted(buckets, MAX_BUCKETS));
    }
    // A longer one might be too long for a number of nanoseconds.
    boolean possible =
        length.compareTo(SHORTEST_BUCKET.multipliedBy(buckets)) >= 0
            && length.compareTo(LONGEST_BUCKET.multipliedBy(buckets)) <= 0;
    if (!possible) {
      throw new InvalidParameterException(
          ("A window of %s cannot have %s buckets, because a bucket lasts %s second to %s days."
                  + " Change the length or the number of buckets.")
              .formatted(length, buckets, SHORTEST_BUCKET.toSeconds(), LONGEST_BUCKET.toDays()));
    }
    if (!length.equals(Duration.ofMillis(length.toMillis() / buckets * buckets))) {
      throw new InvalidParameterException(
          ("A window of %s does not divide into %s buckets of whole milliseconds. Change the length"
                  + " or the number of buckets.")
              .formatted(length, buckets));
    }
  }

  /** {@return the length of a bucket} */
  public Duration bucketLength() {
    return length.dividedBy(buckets);
  }

  /**
   * {@return the difference between the database clock and that of whoever makes events up to which
   * {@link io.github.slotbloom.BloomFilter#offer} is right: a minute, or a tenth of a bucket if
   * that is shorter}
   */
  public Duration tolerance() {
    Duration tenth = bucketLength().dividedBy(10);
    return tenth.compareTo(CLOCK_DIFFERENCE) < 0 ? tenth : CLOCK_DIFFERENCE;
  }

  /**
   * {@return the number of the bucket that a moment lies in}
   *
   * @param micros the moment, in microseconds since the start of 1970 in UTC
   */
  public long bucketAt(long micros) {
    return Math.floorDiv(micros, bucketMicros());
  }

  /**
   * {@return the moment at which a bucket begins, in microseconds since the start of 1970 in UTC}
   *
   * @param bucket the number of the bucket
   */
  public long beginMicros(long bucket) {
    return bucket * bucketMicros();
  }

  /**
   * {@return the moment at which a bucket begins}
   *
   * @param bucket the number of the bucket
   */
  public Instant begin(long bucket) {
    return Instant.ofEpochMilli(beginMicros(bucket) / 1000);
  }

  private long bucketMicros() {
    return length.toMillis() / buckets * 1000;
  }
}
