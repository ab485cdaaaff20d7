package io.github.slotbloom.internal.engine;

import io.github.slotbloom.WhenUnavailable;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.membership.KnownKeys.MemoryAnswer;
import io.github.slotbloom.internal.membership.RescuedKeys;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Answers lookups about the keys of one open filter, and what to answer while the database is away.
 * Thread-safe.
 */
public final class Lookups {

  private final KnownKeys keys;
  private final RescuedKeys rescuedKeys;
  private final WhenUnavailable whenUnavailable;
  private final Tally tally;
  private final Supplier<Deadline> deadlines;
  private final Runnable requireOpen;

  Lookups(
      KnownKeys keys,
      RescuedKeys rescuedKeys,
      WhenUnavailable whenUnavailable,
      Tally tally,
      Supplier<Deadline> deadlines,
      Runnable requireOpen) {
    this.keys = keys;
    this.rescuedKeys = rescuedKeys;
    this.whenUnavailable = whenUnavailable;
    this.tally = tally;
    this.deadlines = deadlines;
    this.requireOpen = requireOpen;
  }

  /** Returns true if the key may be in the filter. */
  public boolean mightContain(long hash) {
    requireOpen.run();
    MemoryAnswer known = keys.askMemory(hash);
    if (known == MemoryAnswer.UNKNOWN) {
      return askDatabase(hash);
    }
    boolean present = known == MemoryAnswer.PRESENT;
    tally.answered(present);
    return present;
  }

  private boolean askDatabase(long hash) {
    try {
      boolean present = keys.askDatabase(hash, begin(1));
      tally.answeredByDatabase(present);
      return present;
    } catch (FilterUnavailableException e) {
      if (whenUnavailable == WhenUnavailable.ANSWER_MAYBE) {
        return true;
      }
      throw e;
    }
  }

  /**
   * Returns true if an add would be answered "seen", and counts it as one.
   *
   * @throws FilterUnavailableException if the database must be asked, and cannot be
   */
  public boolean isSeen(long hash) {
    requireOpen.run();
    MemoryAnswer known = keys.askMemory(hash);
    boolean seen =
        known == MemoryAnswer.UNKNOWN
            ? keys.askDatabase(hash, begin(1))
            : known == MemoryAnswer.PRESENT;
    if (seen) {
      tally.added(false);
    }
    return seen;
  }

  /** Returns which of the keys may be in the filter. */
  public boolean[] mightContainEach(long[] hashes) {
    requireOpen.run();
    AtomicBoolean byDatabase = new AtomicBoolean();
    try {
      boolean[] present =
          keys.ask(
              hashes,
              () -> {
                byDatabase.setPlain(true);
                return begin(hashes.length);
              });
      tally.answered(present, byDatabase.getPlain());
      return present;
    } catch (FilterUnavailableException e) {
      if (whenUnavailable == WhenUnavailable.ANSWER_MAYBE) {
        boolean[] maybe = new boolean[hashes.length];
        Arrays.fill(maybe, true);
        return maybe;
      }
      throw e;
    }
  }

  /** Returns true if the key may be in the filter and is not rescued. */
  public boolean isBlocked(long hash) {
    return mightContain(hash) && !rescued(new long[] {hash})[0];
  }

  /** Returns which of the keys may be in the filter and are not rescued. */
  public boolean[] isBlockedEach(long[] hashes) {
    boolean[] blocked = mightContainEach(hashes);
    long[] members = Hashes.where(hashes, i -> blocked[i]);
    if (members.length == 0) {
      return blocked;
    }
    boolean[] rescued = rescued(members);
    int member = 0;
    for (int i = 0; i < blocked.length; i++) {
      if (blocked[i]) {
        blocked[i] = !rescued[member++];
      }
    }
    return blocked;
  }

  private boolean[] rescued(long[] hashes) {
    try {
      return rescuedKeys.among(hashes, deadlines.get());
    } catch (FilterUnavailableException e) {
      if (whenUnavailable == WhenUnavailable.ANSWER_MAYBE) {
        return new boolean[hashes.length];
      }
      throw e;
    }
  }

  private Deadline begin(int keys) {
    tally.waited(keys);
    return deadlines.get();
  }

  /**
   * Takes in that some keys counted as members and are none.
   *
   * @return true for each key that indeed counts as a member; false for all if that cannot be known
   *     now, since then the wrong answer may only have been a fallback
   */
  public boolean[] reportFalsePositives(long[] hashes) {
    requireOpen.run();
    boolean[] members;
    try {
      members = keys.members(hashes, deadlines);
    } catch (FilterUnavailableException e) {
      return new boolean[hashes.length];
    }
    tally.falsePositives(members);
    return members;
  }
}
