package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.duty.Grower;
import io.github.slotbloom.internal.duty.Rotator;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Makes filters larger while others use them: a generation gets its number, then its slot table,
 * and then an entry of the journal, from which on all new keys go to it. Whoever writes reads the
 * journal to its end before, so nobody misses that entry.
 *
 * <p>An interrupted growth is found and finished by the next caller. If several callers do this at
 * once, one begins the generation and the others find that it was begun.
 */
public final class Growing implements Grower {

  /**
   * @param wanted whether the filter shall grow
   * @param capacity keys that all generations together shall be made for
   * @param mirrored whether this process must be able to hold it in memory: what grows by itself
   *     shall not end those who use it
   */
  private record Goal(
      Predicate<FilterRecord> wanted, ToLongFunction<FilterHead> capacity, boolean mirrored) {

    /**
     * Returns true if the filter is to grow now, starting from the newest generation that was seen.
     */
    boolean isOpen(FilterRecord seen, FilterHead head) {
      return seen.knows(head) && wanted.test(seen.with(head, seen.set()));
    }
  }

  private final FilterDirectory directory;
  private final Rotator rotator;
  private final SlotTables slotTables;

  /**
   * @param rotator begins the bucket of a window that is to get room
   */
  public Growing(FilterDirectory directory, Rotator rotator) {
    this.directory = directory;
    this.rotator = rotator;
    this.slotTables = new SlotTables(directory);
  }

  /**
   * @param capacity keys that all generations together shall be made for
   * @throws InvalidParameterException if the filter cannot grow to that
   */
  public void grow(FilterName name, long capacity) {
    Sizing.requireCapacity(capacity);
    directory
        .require(name)
        .requireEverlasting("grow by hand; each of its buckets is sized by itself");
    grow(name, new Goal(now -> now.capacity() != capacity, head -> capacity, false));
  }

  /**
   * Lets a filter that grows by itself do so now, if it lacks room for so many new keys. Of a
   * window, the present bucket gets the room.
   *
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  public void makeRoom(FilterName name, long newKeys) {
    if (newKeys < 0 || newKeys > Sizing.MAX_CAPACITY) {
      throw new InvalidParameterException(
          "Room is made for 0 to %s keys that are to come, but their number is %s."
              .formatted(Sizing.MAX_CAPACITY, newKeys));
    }
    FilterRecord filter = directory.require(name);
    if (filter.head().whenFull() != WhenFull.GROW) {
      return;
    }
    if (filter.window() != null) {
      rotator.rotate(filter);
    }
    Goal goal =
        new Goal(
            now ->
                now.head().whenFull() == WhenFull.GROW
                    && now.head().keysSet() + newKeys > now.capacity(),
            head -> doubled(head, head.keysSet() + newKeys),
            false);
    grow(name, goal);
  }

  @Override
  public void prepare(FilterRecord seen, long generationToken, boolean mirrored) {
    FilterRecord filter = directory.require(seen.name());
    if (!filter.isSameFilterAs(seen) || filter.head().generationToken() != generationToken) {
      return;
    }
    Goal doubled = new Goal(now -> true, head -> doubled(head, head.keysSet() + 1), mirrored);
    directory
        .ask(tx -> begin(tx, filter, doubled))
        .ifPresent(next -> makeTable(filter, next, tx -> filter.knows(lock(tx, filter))));
  }

  @Override
  public void grow(FilterRecord seen, long generationToken, long newKeys, boolean mirrored) {
    Goal goal =
        new Goal(
            now ->
                now.isSameFilterAs(seen)
                    && now.head().generationToken() == generationToken
                    && now.head().keysSet() + newKeys > now.capacity(),
            head -> doubled(head, head.keysSet() + newKeys),
            mirrored);
    grow(seen.name(), goal);
  }

  /** Twice the capacity, or as many times as it takes to have room for so many keys. */
  private static long doubled(FilterHead head, long keys) {
    long capacity = 2 * head.capacity();
    while (capacity < keys) {
      capacity *= 2;
    }
    long possible = Math.max(keys, Math.min(capacity, Sizing.MAX_CAPACITY));
    Sizing.requireCapacity(possible);
    return possible;
  }

  private void grow(FilterName name, Goal goal) {
    FilterDirectory.underLock(name, "grow", "grow", () -> growTowards(name, goal));
  }

  private void growTowards(FilterName name, Goal goal) {
    FilterRecord filter = directory.require(name);
    while (goal.wanted().test(filter)) {
      FilterRecord before = filter;
      Optional<Integer> next = directory.ask(tx -> begin(tx, before, goal));
      if (next.isPresent()
          && makeTable(before, next.get(), tx -> finish(tx, before, next.get(), goal))) {
        return;
      }
      filter = directory.require(before);
    }
  }

  /** Returns false if others began the generation meanwhile. */
  private boolean makeTable(FilterRecord filter, int number, Function<Tx, Boolean> finish) {
    try {
      return slotTables.makeNext(filter, number, "grow", finish);
    } catch (SchemaException e) {
      boolean denied = e.getCause() instanceof DatabaseFailure failure && failure.denied();
      if (!denied) {
        throw e;
      }
      throw new SchemaException(
          e.getMessage()
              + " If this account must not make tables, have an operator run the SQL that"
              + " slotbloom grow "
              + filter.name()
              + " --capacity "
              + 2 * filter.capacity()
              + " --dry-run prints; then the filter can grow.",
          e);
    }
  }

  /** Returns empty if that is not wanted anymore, or others let the filter grow meanwhile. */
  private Optional<Integer> begin(Tx tx, FilterRecord filter, Goal goal) {
    FilterHead head = lock(tx, filter);
    if (!goal.isOpen(filter, head)) {
      return Optional.empty();
    }
    int number = GenerationRows.next(tx, filter);
    GenerationRows.begin(tx, filter, next(filter, head, number, goal));
    return Optional.of(number);
  }

  /** Returns false if that is not wanted anymore, or others let the filter grow meanwhile. */
  private boolean finish(Tx tx, FilterRecord filter, int number, Goal goal) {
    FilterHead head = lock(tx, filter);
    if (!goal.isOpen(filter, head)) {
      return false;
    }
    GenerationRecord next = next(filter, head, number, goal);
    long capacity = head.keysSet() + next.capacity();
    return GenerationRows.finish(tx, filter.id(), head, next, capacity);
  }

  private FilterHead lock(Tx tx, FilterRecord filter) {
    return directory.lockActive(tx, filter, "grow");
  }

  /** All new keys go to it, so it needs room for what the filter does not hold yet. */
  private static GenerationRecord next(
      FilterRecord filter, FilterHead head, int number, Goal goal) {
    long capacity = goal.capacity().applyAsLong(head);
    if (!filter.growable()) {
      throw new InvalidParameterException(
          ("Filter %s was reserved as fixed: its first generation uses all of the error rate"
                  + " %s. Reserve a larger filter, and add the keys to it.")
              .formatted(filter.name(), filter.falsePositiveRate()));
    }
    OngoingReplacement.requireNone(filter, "grow");
    if (capacity < head.capacity() || capacity <= head.keysSet()) {
      throw new InvalidParameterException(
          ("Filter %s has a capacity of %s keys and holds %s, so it cannot grow to %s. Give a"
                  + " new total that is larger than both.")
              .formatted(filter.name(), head.capacity(), head.keysSet(), capacity));
    }
    // A row that promises more is refused whenever it is read.
    Sizing.requireCapacity(capacity);
    long room = capacity - head.keysSet();
    double rate =
        Sizing.generationRate(
            filter.bucketFalsePositiveRate(), filter.set().ofNewestBucket().size() + 1);
    GenerationRecord next =
        new GenerationRecord(
                number,
                head.lastSeq() + 1,
                Tokens.next(),
                room,
                rate,
                Sizing.forCapacity(filter.layout(), room, rate),
                filter.tables().slots(number),
                0)
            .in(filter.newestGeneration().bucket());
    if (goal.mirrored()) {
      MirrorRoom.require(
          filter.name(),
          Stream.concat(filter.generations().stream(), Stream.of(next))
              .map(GenerationRecord::parameters)
              .toList());
    }
    return next;
  }
}
