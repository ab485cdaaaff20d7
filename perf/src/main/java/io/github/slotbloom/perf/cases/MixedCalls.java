package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Crowd;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.RemovingCaller;
import io.github.slotbloom.perf.peer.WaitingRemovals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Callers that ask, add and remove, one key a call. Each has members of its own: it adds behind the
 * newest, and removes the oldest. Each trial continues where the last one ended.
 */
final class MixedCalls implements AutoCloseable {

  enum Call {
    ASK_MEMBER("lookup, a member"),
    ASK_ABSENT("lookup, no member"),
    ADD("add"),
    REMOVE("removal");

    private final String words;

    Call(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  /** Says what each call is, by its number among those of all callers. */
  interface Mix {
    Call of(long number);
  }

  /** The distance between the callers' ranges of numbers, in bits. */
  private static final int RANGE_BITS = 36;

  private static final int ASKED_AT_ONCE = 1_000;

  private final RemovableKeys keys;
  private final Mix mix;
  private final Checks checks;
  private final Duration time;
  private final Opened opened = new Opened();
  private final List<Member> members = new ArrayList<>();
  private final AtomicLong number = new AtomicLong();
  private long begunNanos;

  /**
   * Adds the members.
   *
   * @param time how long the callers begin calls in a trial
   */
  MixedCalls(RemovableKeys keys, Mix mix, Checks checks, int callers, int members, Duration time)
      throws Exception {
    this.keys = keys;
    this.mix = mix;
    this.checks = checks;
    this.time = time;
    for (int i = 0; i < callers; i++) {
      this.members.add(new Member(opened.keep(keys.caller()), i, members / callers));
    }
    keys.settle();
  }

  /**
   * {@return calls per second of all callers together, each until its last one ended} Time in which
   * one of them still waits and others are done does not count. Afterwards, outside of the measured
   * time, background work ends and the answers are checked.
   */
  double trial() throws Exception {
    begunNanos = System.nanoTime();
    members.forEach(member -> member.madeInTrial = 0);
    Crowd.rate(members.size(), time, members::get);
    double rate = members.stream().mapToDouble(Member::rate).sum();
    keys.settle();
    check();
    return rate;
  }

  private void check() throws Exception {
    checks.found(keys.name(), made(Call.ASK_MEMBER), yes(Call.ASK_MEMBER));
    checks.absent(
        keys.name(), made(Call.ASK_ABSENT), yes(Call.ASK_ABSENT), keys.falsePositiveRate());
    checks.newKeys(keys.name(), made(Call.ADD), yes(Call.ADD), keys.falsePositiveRate());
    boolean emulated = keys instanceof WaitingRemovals;
    if (emulated) {
      // Each of them added a key.
      checks.newKeys(keys.name(), made(Call.REMOVE), yes(Call.REMOVE), keys.falsePositiveRate());
    } else {
      checks.expect(
          made(Call.REMOVE) == yes(Call.REMOVE),
          "%s: of %,d members %,d were removed",
          keys.name(),
          made(Call.REMOVE),
          yes(Call.REMOVE));
    }
    for (Member member : members) {
      member.requireMembersFound();
      if (!emulated) {
        long found = member.foundOfRemoved();
        checks.expect(found == 0, "%s: %,d removed keys were found", keys.name(), found);
      }
    }
  }

  /** In all trials so far. */
  private long made(Call call) {
    return members.stream().mapToLong(member -> member.outcomes(call).made).sum();
  }

  private long yes(Call call) {
    return members.stream().mapToLong(member -> member.outcomes(call).yes).sum();
  }

  /**
   * {@return how long the calls of a kind took in all trials, ascending} Call it once for each
   * kind, after all trials.
   */
  long[] nanos(Call call) {
    return members.stream()
        .flatMapToLong(member -> member.outcomes(call).nanos.build())
        .sorted()
        .toArray();
  }

  @Override
  public void close() throws Exception {
    opened.close();
  }

  /** The outcomes of a caller's calls of one kind. */
  private static final class Outcomes {
    private final LongStream.Builder nanos = LongStream.builder();
    private long made;
    private long yes;
  }

  /** One caller, with the keys that it added and did not remove. */
  private final class Member implements Crowd.Work {
    private final RemovingCaller caller;
    private final long first;
    private final Map<Call, Outcomes> outcomes = new EnumMap<>(Call.class);
    private long removed;
    private long removedBefore;
    private long added;
    private long asked;
    private long madeInTrial;
    private long lastNanos;

    Member(RemovingCaller caller, int index, int count) throws Exception {
      this.caller = caller;
      first = (index + 1L) << RANGE_BITS;
      added = count;
      Batches.add(keys, caller, checks, first, count);
    }

    @Override
    public void once() throws Exception {
      Call call = mix.of(number.getAndIncrement());
      String key = Keys.text(next(call));
      long begun = System.nanoTime();
      boolean answer =
          switch (call) {
            case ASK_MEMBER, ASK_ABSENT -> caller.mightContain(key);
            case ADD -> caller.add(key);
            case REMOVE -> caller.remove(key);
          };
      long ended = System.nanoTime();
      Outcomes all = outcomes(call);
      all.made++;
      all.yes += answer ? 1 : 0;
      all.nanos.accept(ended - begun);
      madeInTrial++;
      lastNanos = ended;
    }

    private double rate() {
      return madeInTrial == 0 ? 0 : madeInTrial * 1e9 / (lastNanos - begunNanos);
    }

    private Outcomes outcomes(Call call) {
      return outcomes.computeIfAbsent(call, absent -> new Outcomes());
    }

    private long next(Call call) {
      return switch (call) {
        case ASK_MEMBER -> first + removed + Math.floorMod(Keys.scrambled(asked++), members());
        case ASK_ABSENT -> Keys.ABSENT + first + asked++;
        case ADD -> first + added++;
        case REMOVE -> first + removed++;
      };
    }

    private long members() {
      if (removed == added) {
        throw new IllegalStateException("A caller has removed all of its members.");
      }
      return added - removed;
    }

    /** {@return how many of the keys are found that were removed since the last time} */
    long foundOfRemoved() throws Exception {
      long found = 0;
      for (List<String> some :
          Keys.inParts(first + removedBefore, removed - removedBefore, ASKED_AT_ONCE)) {
        found += caller.seen(some);
      }
      removedBefore = removed;
      return found;
    }

    void requireMembersFound() throws Exception {
      Batches.requireFound(keys, caller, checks, first + removed, added - removed);
    }
  }
}
