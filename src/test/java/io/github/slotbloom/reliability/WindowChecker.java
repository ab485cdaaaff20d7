package io.github.slotbloom.reliability;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongUnaryOperator;

/**
 * Looks for what cannot have happened if the promises of a window hold, in what the callers of all
 * processes saw and what the journal holds at the end.
 *
 * <p>The database's clock is that of this machine, so what a call did happened by it while the call
 * was under way.
 */
public final class WindowChecker {

  private static final int MOST_TOLD = 20;

  /** How exactly the clock of the processes is converted to that of the database. */
  private static final long SLACK_MICROS = 100_000;

  private final List<Operation> history;
  private final Window window;
  private final long leaseMicros;
  private final JournaledBuckets buckets;
  private final LongUnaryOperator hash;
  private final LongUnaryOperator wallMicros;
  private final List<String> violations = new ArrayList<>();
  private long violated;
  private long winners;
  private long possibleWinners;

  /**
   * @param lease how long a process may go on with what it knows
   * @param buckets what the whole journal says
   * @param hash makes the hash of a key
   * @param wallMicros converts the clock of the operations to that of the database
   */
  WindowChecker(
      List<Operation> history,
      Window window,
      Duration lease,
      JournaledBuckets buckets,
      LongUnaryOperator hash,
      LongUnaryOperator wallMicros) {
    this.history = history;
    this.window = window;
    this.leaseMicros = lease.toNanos() / 1000;
    this.buckets = buckets;
    this.hash = hash;
    this.wallMicros = wallMicros;
  }

  /**
   * Returns what cannot have happened in a history that ended in a state, a sentence each.
   *
   * @param lease how long a process may go on with what it knows
   * @param wallMicros converts the clock of the operations to that of the database
   */
  public static List<String> violations(
      List<Operation> history,
      Window window,
      Duration lease,
      FilterState end,
      LongUnaryOperator wallMicros) {
    return new WindowChecker(history, window, lease, end.buckets(), end::hash, wallMicros)
        .check()
        .violations();
  }

  /** Converts a moment of the clock that all processes share to microseconds since 1970. */
  static LongUnaryOperator wallClock() {
    long offset =
        ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - System.nanoTime() / 1000;
    return nanos -> nanos / 1000 + offset;
  }

  /** Checks everything. */
  Findings check() {
    Map<Answer, Long> answers = history.stream().collect(groupingBy(Operation::answer, counting()));
    history.stream().collect(groupingBy(Operation::key)).forEach(this::checkKey);
    return new Findings(
        answers, 0, winners, possibleWinners, violated, violations, new LongQuantiles());
  }

  private void checkKey(long key, List<Operation> ofKey) {
    List<Operation> added =
        ofKey.stream().filter(WindowChecker::adds).filter(o -> isAdded(o)).toList();
    List<Operation> won = added.stream().filter(Operation::changed).toList();
    for (Operation o : ofKey) {
      if (o.foundAbsent() || o.changed()) {
        added.stream()
            .filter(before -> mustSee(o, before))
            .findFirst()
            .ifPresent(before -> violation("Lost: " + before + ", but then " + o));
      }
      if (o.foundPresent()) {
        checkNotOver(key, o);
      }
    }
    checkWinners(key, won, ofKey);
  }

  private static boolean adds(Operation o) {
    return o.kind() == Kind.ADD || o.kind() == Kind.OFFER;
  }

  /** Returns true if the key lives for the length of the window after that call. */
  private boolean isAdded(Operation o) {
    return o.changed() || (window.renews() && o.answer() == Answer.SEEN);
  }

  /** Returns true if a call must find what another one added, whenever it looked. */
  private boolean mustSee(Operation o, Operation added) {
    return o != added
        && added.completed() <= o.knowledgeFrom()
        && o.completed() - added.invoked() < window.length().toNanos();
  }

  /** Nothing is found a bucket and a lease after the length of the window. */
  private void checkNotOver(long key, Operation o) {
    OptionalLong last = buckets.lastBucket(hash.applyAsLong(key));
    if (last.isEmpty()) {
      violation("Nobody added it: " + o);
      return;
    }
    long end = window.beginMicros(last.getAsLong() + 1) + leaseMicros + SLACK_MICROS;
    if (wallMicros.applyAsLong(o.invoked()) > end) {
      violation("Its bucket expired at " + end + " of the database's clock, but then " + o);
    }
  }

  private void checkWinners(long key, List<Operation> won, List<Operation> ofKey) {
    for (int i = 0; i < won.size(); i++) {
      for (int j = i + 1; j < won.size(); j++) {
        Operation one = won.get(i);
        Operation other = won.get(j);
        long most = Math.max(other.completed() - one.invoked(), one.completed() - other.invoked());
        if (most < window.length().toNanos()) {
          violation("Two winners within the length of the window: " + one + " and " + other);
        }
      }
    }
    if (won.stream().filter(o -> o.kind() == Kind.OFFER).count() > 1) {
      violation("Two winners of one event: " + won);
    }
    long possible =
        ofKey.stream().filter(WindowChecker::adds).filter(Operation::mayHaveChanged).count();
    int journaled = buckets.adds(hash.applyAsLong(key));
    if (journaled < won.size() || journaled > possible) {
      violation(
          "The journal holds %d adds of key %d, but %d callers were told of one, of %d that may be"
              .formatted(journaled, key, won.size(), possible));
    }
    winners += won.isEmpty() ? 0 : 1;
    possibleWinners += won.isEmpty() && journaled > 0 ? 1 : 0;
  }

  private void violation(String what) {
    violated++;
    if (violations.size() < MOST_TOLD) {
      violations.add(what);
    }
  }
}
