package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.internal.store.filter.PlayedJournal.Change;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A journal of entries of all kinds, in an order that a seed determines. */
final class RandomJournal {

  private static final int MOST_STEPS = 60;

  private static final List<Kind> KINDS =
      List.of(Kind.ADD, Kind.READD, Kind.RENEW, Kind.REMOVE, Kind.RETURN, Kind.FILL, Kind.SEEN);

  private final Random random;
  private final PlayedJournal journal;
  private int left;

  RandomJournal(long seed) {
    random = new Random(seed);
    boolean window = random.nextBoolean();
    journal = new PlayedJournal(1 + random.nextInt(3), window ? 1 + random.nextInt(4) : 0);
    left = 1 + random.nextInt(MOST_STEPS);
  }

  PlayedJournal journal() {
    return journal;
  }

  boolean goesOn() {
    return left > 0;
  }

  /** Writes one more entry. */
  void step() {
    left--;
    int kind = random.nextInt(12);
    if (kind == 0) {
      journal.merge(random.nextInt(journal.manifest().read().size()));
    } else if (kind < 6) {
      journal.play(change());
    } else {
      journal.write(KINDS.get(random.nextInt(KINDS.size())));
    }
  }

  /** Clears are rare, so that there is something to be cleared. */
  private Change change() {
    boolean clears = random.nextInt(20) == 0;
    List<Change> possible =
        Stream.of(Change.values())
            .filter(journal::isPossible)
            .filter(change -> clears || change != Change.CLEAR)
            .toList();
    return possible.get(random.nextInt(possible.size()));
  }
}
