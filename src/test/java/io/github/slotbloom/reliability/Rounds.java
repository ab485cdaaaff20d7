package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.testing.FailingDatabase;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Storms by one plan, one after the other, on one database. {@code slotbloom.storm.minutes} makes
 * them long; {@code slotbloom.storm.seed} repeats a choice of faults, though not the moments at
 * which they strike.
 */
final class Rounds {

  /** How long all storms of a database take together; zero for short ones. */
  static final Duration ALL = Duration.ofMinutes(Long.getLong("slotbloom.storm.minutes", 0));

  /** A slow machine does too little in one of them. */
  private static final int MOST_SHORT_ROUNDS = 5;

  private static final Duration LONG_ROUND = Duration.ofSeconds(60);

  private final long seed = Long.getLong("slotbloom.storm.seed", new Random().nextInt());

  /** Returns the length of a round that is short in a build. */
  static Duration length(Duration inBuild) {
    return ALL.isZero() ? inBuild : LONG_ROUND;
  }

  long seed() {
    return seed;
  }

  /**
   * Goes on until the time is over and there were answers of all kinds.
   *
   * @return what came of it, without violations
   */
  Tally run(RoundPlan plan, FailingDatabase server, Duration time) throws Exception {
    Tally tally = new Tally();
    Random seeds = new Random(seed);
    long end = System.nanoTime() + time.toNanos();
    int rounds = 0;
    do {
      Round.run(plan, server, seeds.nextLong(), tally);
      System.out.println(tally);
      rounds++;
    } while (System.nanoTime() < end || (rounds < MOST_SHORT_ROUNDS && !tells(tally, plan)));
    requireNoViolation(tally, server);
    assertThat(tells(tally, plan)).as("all kinds of answers in %s", tally).isTrue();
    if (!time.isZero()) {
      assertThat(plan.faults()).as("faults of %s", tally).allMatch(f -> tally.times(f) > 0);
    }
    return tally;
  }

  /** Has one round take place, however little happens in it. */
  void runOnce(RoundPlan plan, FailingDatabase server) throws Exception {
    Tally tally = new Tally();
    Round.run(plan, server, new Random(seed).nextLong(), tally);
    requireNoViolation(tally, server);
  }

  private void requireNoViolation(Tally tally, FailingDatabase server) {
    System.out.println("Storm on " + server.database().name() + ", seed " + seed + ": " + tally);
    assertThat(tally.violations()).isEmpty();
  }

  /** A round tells nothing of an answer that no caller had, as where a server is long down. */
  private static boolean tells(Tally tally, RoundPlan plan) {
    return Stream.of(Answer.NEW, Answer.SEEN, Answer.YES, Answer.NO)
            .allMatch(answer -> tally.times(answer) > 0)
        && (!plan.removable()
            || (tally.times(Answer.REMOVED) > 0 && tally.times(Answer.ABSENT) > 0))
        && (plan.window() == null || tally.times(Answer.EXPIRED) > 0)
        && (plan.rate() != RoundPlan.LOOSE || tally.falsePositives() > 0);
  }
}
