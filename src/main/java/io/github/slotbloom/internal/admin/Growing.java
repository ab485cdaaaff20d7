package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.mirror.MirrorRoom;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.ManifestRows;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;
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
public final class Growing implements GenerationMaker {

  private static final String GROW = "grow";

  /**
   * @param wanted whether the filter is to grow
   * @param capacity keys that all generations together are to be sized for
   * @param mirrored whether this process must be able to hold it in memory: what grows
   *     automatically must not end those who use it
   */
  private record Goal(
      Predicate<FilterRecord> wanted, ToLongFunction<FilterHead> capacity, boolean mirrored) {}

  private final FilterDirectory directory;
  private final Rotating rotating;
  private final SlotTables slotTables;

  /**
   * @param rotating begins the bucket of a window that is to get room
   */
  public Growing(FilterDirectory directory, Rotating rotating) {
    this.directory = directory;
    this.rotating = rotating;
    this.slotTables = new SlotTables(directory);
  }

  /**
   * @param capacity keys that all generations together are to be sized for
   * @throws InvalidParameterException if the filter cannot grow to that
   */
  public void grow(FilterName name, long capacity) {
    Sizing.requireCapacity(capacity);
    directory
        .require(name)
        .requireEverlasting("be grown by hand; each of its buckets is sized separately");
    grow(name, new Goal(now -> now.capacity() != capacity, head -> capacity, false));
  }

  /**
   * Lets a filter that grows automatically do so now, if it lacks room for so many new keys. Of a
   * window, the current bucket gets the room.
   *
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  public void makeRoom(FilterName name, long newKeys) {
    if (newKeys < 0 || newKeys > Sizing.MAX_CAPACITY) {
      throw new InvalidParameterException(
          "makeRoom takes 0 to %s keys, not %s.".formatted(Sizing.MAX_CAPACITY, newKeys));
    }
    FilterRecord filter = directory.require(name);
    if (filter.head().onFull() != OnFull.GROW) {
      return;
    }
    if (filter.window() != null) {
      rotating.rotate(filter);
    }
    Goal goal =
        new Goal(
            now ->
                now.head().onFull() == OnFull.GROW
                    && now.head().keysSet() + newKeys > now.capacity(),
            head -> doubled(head, head.keysSet() + newKeys),
            false);
    grow(name, goal);
  }

  @Override
  public void prepare(FilterRecord seen, long manifestToken, boolean mirrored) {
    FilterRecord filter = directory.require(seen.name());
    if (!filter.isSameFilterAs(seen) || filter.head().manifestToken() != manifestToken) {
      return;
    }
    Goal doubled = new Goal(now -> true, head -> doubled(head, head.keysSet() + 1), mirrored);
    slotTables.makeNext(filter, GROW, tx -> growth(tx, filter, doubled).map(later -> () -> {}));
  }

  @Override
  public void grow(FilterRecord seen, long manifestToken, long newKeys, boolean mirrored) {
    Goal goal =
        new Goal(
            now ->
                now.isSameFilterAs(seen)
                    && now.head().manifestToken() == manifestToken
                    && now.head().keysSet() + newKeys > now.capacity(),
            head -> doubled(head, head.keysSet() + newKeys),
            mirrored);
    grow(seen.name(), goal);
  }

  @Override
  public void rotate(FilterRecord filter) {
    rotating.rotate(filter);
  }

  @Override
  public long prepareBucket(FilterRecord filter) {
    return rotating.prepare(filter);
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
    LockedStep.run(name, GROW, GROW, () -> growTowards(name, goal));
  }

  private void growTowards(FilterName name, Goal goal) {
    FilterRecord filter = directory.require(name);
    while (goal.wanted().test(filter)) {
      FilterRecord before = filter;
      if (slotTables.makeNext(before, GROW, tx -> growth(tx, before, goal))) {
        return;
      }
      filter = directory.require(before);
    }
  }

  /**
   * Returns what lets the filter grow; empty if that is not wanted anymore, or others let it grow
   * meanwhile.
   *
   * @throws InvalidParameterException if the filter cannot grow so
   */
  private Optional<Runnable> growth(Tx tx, FilterRecord filter, Goal goal) {
    return directory
        .lockKnown(tx, filter, GROW)
        .filter(goal.wanted())
        .map(
            now -> {
              GenerationRecord next = next(now, goal);
              long capacity = now.head().keysSet() + next.capacity();
              return () -> ManifestRows.append(tx, now, now.manifest().grown(next), capacity);
            });
  }

  /** All new keys go to it, so it needs room for what the filter does not hold yet. */
  private static GenerationRecord next(FilterRecord filter, Goal goal) {
    FilterHead head = filter.head();
    long capacity = goal.capacity().applyAsLong(head);
    if (!filter.growable()) {
      throw new InvalidParameterException(
          ("Filter %s was created as fixed: its first generation uses all of the false positive"
                  + " rate %s. Create a larger filter and add the keys to it.")
              .formatted(filter.name(), filter.falsePositiveRate()));
    }
    if (capacity < head.capacity() || capacity <= head.keysSet()) {
      throw new InvalidParameterException(
          ("Filter %s has a capacity of %s keys and holds %s, so it cannot grow to %s. Use a"
                  + " capacity larger than both.")
              .formatted(filter.name(), head.capacity(), head.keysSet(), capacity));
    }
    // A row that promises more is refused whenever it is read.
    Sizing.requireCapacity(capacity);
    long room = capacity - head.keysSet();
    double rate =
        Sizing.generationRate(
            filter.bucketFalsePositiveRate(), filter.manifest().ofNewestBucket().size() + 1);
    GenerationRecord next =
        filter
            .next(room, rate, Sizing.forCapacity(filter.layout(), room, rate))
            .in(filter.newestGeneration().bucket());
    if (goal.mirrored()) {
      MirrorRoom.require(
          filter.name(),
          Stream.concat(filter.manifest().all().stream(), Stream.of(next))
              .map(GenerationRecord::parameters)
              .toList());
    }
    return next;
  }
}
