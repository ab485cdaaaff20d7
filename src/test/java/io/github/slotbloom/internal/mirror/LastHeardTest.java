package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LastHeardTest {

  private static final Duration MILLISECOND = Duration.ofMillis(1);

  private Duration monotonic = Duration.ofNanos(-77);
  private Duration wall = Duration.ofDays(20_000);
  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nanoTime() {
          return monotonic.toNanos();
        }

        @Override
        public long wallMillis() {
          return wall.toMillis();
        }
      };
  private final LastHeard heard = new LastHeard(time);

  private void pass(Duration byBoth) {
    pass(byBoth, byBoth);
  }

  private void pass(Duration byMonotonic, Duration byWall) {
    monotonic = monotonic.plus(byMonotonic);
    wall = wall.plus(byWall);
  }

  private Duration atMost() {
    return Duration.ofNanos(heard.atMostNanos());
  }

  @Test
  void theDatabaseWasNeverHeardOfAtFirst() {
    assertThat(atMost()).isGreaterThan(Duration.ofDays(10_000));
    assertThat(heard.age()).isGreaterThan(Duration.ofDays(10_000));
    heard.compareClocks();
    assertThat(atMost()).isGreaterThan(Duration.ofDays(10_000));
  }

  @Test
  void theAgeIsAtMostTwoMillisecondsMoreThanTheTimeThatPassed() {
    for (int micros = 0; micros < 3_000; micros += 7) {
      heard.hear(time.now());
      Duration passed = Duration.ofNanos(micros * 1_001L);
      pass(passed);
      assertThat(atMost()).isBetween(passed, passed.plus(MILLISECOND.multipliedBy(2)));
      heard.compareClocks();
      assertThat(atMost()).isBetween(passed, passed.plus(MILLISECOND.multipliedBy(2)));
    }
  }

  @Test
  void aSuspensionIsNoticedAtOnce() {
    heard.hear(time.now());
    pass(Duration.ZERO, Duration.ofHours(1));
    assertThat(atMost()).isGreaterThanOrEqualTo(Duration.ofHours(1));
    heard.compareClocks();
    assertThat(atMost()).isGreaterThanOrEqualTo(Duration.ofHours(1));
  }

  @Test
  void aWallClockSetBackFarIsIgnored() {
    heard.hear(time.now());
    pass(MILLISECOND, Duration.ofHours(-1));
    assertThat(atMost()).isGreaterThan(Duration.ofDays(10_000));
    heard.compareClocks();
    assertThat(atMost()).isBetween(MILLISECOND, MILLISECOND.multipliedBy(3));
  }

  @Test
  void aWallClockSetBackALittleIsIgnoredOnceTheClocksAreCompared() {
    heard.hear(time.now());
    pass(Duration.ofSeconds(3), Duration.ofSeconds(1));
    heard.compareClocks();
    assertThat(atMost()).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
    pass(Duration.ofSeconds(1));
    assertThat(atMost())
        .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(4).plus(MILLISECOND.multipliedBy(2)));
    assertThat(heard.age()).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void theLatestAnswerCounts() {
    Moment before = time.now();
    pass(Duration.ofSeconds(5));
    heard.hear(time.now());
    heard.hear(before);
    assertThat(atMost()).isLessThanOrEqualTo(MILLISECOND);
  }
}
