package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the row of a generation says of its place in a window. There is one for each row, whatever
 * its state.
 *
 * @param number its number
 * @param state its state, as it is stored
 * @param wentOn true if it took keys of another bucket before its present one
 * @param bucket the last bucket in which it took keys; null if it has not begun
 * @param keysAdded keys that were added in its bucket, if that is over and the generation was the
 *     last of it; else null
 * @param keysRenewed keys of older buckets that were added again, likewise
 * @param keysRemoved keys that were removed in its bucket, likewise; also null if keys cannot be
 *     removed
 */
public record WindowGeneration(
    int number,
    String state,
    boolean wentOn,
    @Nullable Long bucket,
    @Nullable Long keysAdded,
    @Nullable Long keysRenewed,
    @Nullable Long keysRemoved) {

  /** Reads the rows of all generations, in the order of their numbers. Locks nothing. */
  public static List<WindowGeneration> all(Tx tx, long filterId) {
    return tx.dsl()
        .select(
            Generations.GENERATION,
            Generations.STATE,
            Generations.STATE_TOKEN,
            Generations.SINCE_TOKEN,
            Generations.BUCKET,
            Generations.KEYS_ADDED,
            Generations.KEYS_RENEWED,
            Generations.KEYS_REMOVED)
        .from(Generations.TABLE)
        .where(Generations.FILTER_ID.eq(filterId))
        .orderBy(Generations.GENERATION)
        .fetch(
            row ->
                new WindowGeneration(
                    row.get(Generations.GENERATION),
                    row.get(Generations.STATE),
                    !row.get(Generations.STATE_TOKEN).equals(row.get(Generations.SINCE_TOKEN)),
                    row.get(Generations.BUCKET),
                    row.get(Generations.KEYS_ADDED),
                    row.get(Generations.KEYS_RENEWED),
                    row.get(Generations.KEYS_REMOVED)));
  }

  /** Returns true if the generation is in a state. */
  public boolean is(GenerationState other) {
    return state.equals(other.name());
  }

  /** Returns true if the generation was begun by an entry, or is the first. */
  public boolean isBegun() {
    return !is(GenerationState.CREATING) && !is(GenerationState.READY);
  }

  /** Returns true if it has the counts of a bucket that is over. */
  public boolean isCounted() {
    return keysAdded != null && keysRenewed != null;
  }

  /** Returns the counts of its bucket that is over; zeros if it has none. */
  public KeyCounts counts() {
    return new KeyCounts(orZero(keysAdded), orZero(keysRemoved), orZero(keysRenewed));
  }

  private static long orZero(@Nullable Long count) {
    return count == null ? 0 : count;
  }
}
