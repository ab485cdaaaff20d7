package io.github.slotbloom;

import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The parameters and figures of one filter, read from the database at one moment. It counts the
 * bits in all slots; {@link FilterStatus} is the part that takes no counting.
 *
 * <p>Later versions may tell more, so do not construct it.
 *
 * @param id number of the filter, never used twice in a database
 * @param name its name
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function; a secret one is not shown as text
 * @param layout where the bits of a key lie
 * @param growable true if its false positive rate leaves room for later generations
 * @param retainHashes true if the hashes of all its keys are kept
 * @param window how long keys are found; empty if they never expire
 * @param capacity the number of keys that the filter is sized for
 * @param fullAt the number of {@linkplain #keysSet keys that take room} at which the filter is
 *     full: its capacity, and of a window the keys in past buckets and those that the current one
 *     is sized for
 * @param falsePositiveRate target false positive rate of the whole filter at capacity
 * @param onFull the treatment of new keys beyond the capacity
 * @param epoch 1, plus 1 for each clear
 * @param keysAdded keys that were reported as new and are still counted
 * @param keysRenewed keys of a window that were added again and so have a longer lifetime, once for
 *     each bucket that has them beside the first; without those that expired
 * @param keysRemoved removed keys whose bits are still set
 * @param removableKeys the largest number of removed keys before the filter must be rebuilt, or
 *     grows; 0 if keys cannot be removed
 * @param estimatedKeys estimated number of distinct keys: those that the set bits of the active
 *     generations tell of, and those of the entries that are not folded yet
 * @param saturated true if {@code estimatedKeys} means "at least", because nearly all bits are set
 * @param currentFalsePositiveRate current false positive rate: from the bits that are set, or as
 *     expected for the estimated keys if some of them are not folded yet
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest journal entry whose bits are in the slots
 * @param journalRows entries that the journal holds now, including folded ones
 * @param journalTableBytes disk space of the table with the journals of all filters in bytes, as
 *     the server reports it; what the entries of this filter take if that is more, since the server
 *     may have counted long ago
 * @param foldLag how long the oldest unfolded entry has been waiting; zero if there is none
 * @param usage lookups and answers of all processes in the last {@value #USAGE_DAYS} days,
 *     including today by UTC, since the filter was last cleared. A process reports its usage twice
 *     a minute and when it closes the filter; if it is killed, its unreported usage is lost
 * @param expired true if it expired, so that no client can use it
 * @param createdAt when the filter was created
 * @param expiresAt when it expires, by the database clock; empty if it never does
 * @param generations its generations, oldest first
 */
public record FilterInfo(
    long id,
    String name,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    Optional<Window> window,
    long capacity,
    long fullAt,
    double falsePositiveRate,
    OnFull onFull,
    long epoch,
    long keysAdded,
    long keysRenewed,
    long keysRemoved,
    long removableKeys,
    double estimatedKeys,
    boolean saturated,
    double currentFalsePositiveRate,
    long lastSequence,
    long foldedSequence,
    long journalRows,
    long journalTableBytes,
    Duration foldLag,
    FilterUsage usage,
    boolean expired,
    Instant createdAt,
    Optional<Instant> expiresAt,
    List<Generation> generations)
    implements FilterStatus {

  /**
   * The set of removed keys begins with so many places, and doubles when two in three are taken.
   */
  public static final long FEWEST_REMOVED_PLACES = 64;

  /** The number of days that {@link #usage} covers. */
  public static final int USAGE_DAYS = 7;

  @Override
  public long keys() {
    return retainHashes || window.isPresent() ? keysAdded : Math.max(0, keysAdded - keysRemoved);
  }

  /**
   * {@return the number of set bits in the slot tables of all generations} Journal entries that are
   * not folded yet are not included.
   */
  public long bitsSet() {
    return generations.stream().mapToLong(Generation::bitsSet).sum();
  }

  @Override
  public int generationCount() {
    return (int) answering().count();
  }

  @Override
  public long bits() {
    return answering().mapToLong(Generation::bits).sum();
  }

  /**
   * {@return the capacity that the filter will have once it is replaced, in keys; empty if it is
   * not being replaced} Until then {@link #capacity} applies, because only the old generations are
   * active.
   */
  public OptionalLong replacementCapacity() {
    return generations.stream()
        .filter(generation -> generation.state() == State.FILLING)
        .mapToLong(Generation::capacity)
        .findAny();
  }

  /** {@return the bits of the active generations divided by the capacity} */
  public double bitsPerKey() {
    return (double) bits() / fullAt;
  }

  /**
   * {@return the number of new keys in journal entries whose bits are not in the slot tables of the
   * active generations yet}
   */
  public long unfoldedKeys() {
    return answering().mapToLong(Generation::unfoldedKeys).sum();
  }

  /**
   * {@return the share of the bits of the active generations that are set once all keys that were
   * added are folded, from 0 to 1} It is exact if all are, and expected otherwise. It is 0 if no
   * generation answers, because all keys of a window expired.
   */
  public double fill() {
    if (bits() == 0) {
      return 0;
    }
    return unfoldedKeys() == 0
        ? (double) answering().mapToLong(Generation::bitsSet).sum() / bits()
        : answering().mapToDouble(generation -> generation.fill() * generation.bits()).sum()
            / bits();
  }

  /**
   * {@return the number of keys that take room: those that were added or renewed, and those that
   * were removed and still have their bits}
   */
  public long keysSet() {
    return keysAdded + keysRenewed + (retainHashes ? keysRemoved : 0);
  }

  @Override
  public double used() {
    long over = keysInPastBuckets();
    return (double) (keysSet() - over) / Math.max(1, fullAt - over);
  }

  /**
   * {@return the number of keys in past buckets of a window that have not expired; 0 if keys never
   * expire}
   */
  public long keysInPastBuckets() {
    return answering()
        .flatMap(generation -> generation.bucket().stream())
        .filter(Bucket::over)
        .distinct()
        .mapToLong(Bucket::keys)
        .sum();
  }

  private Stream<Generation> answering() {
    return generations.stream().filter(generation -> generation.state() == State.ACTIVE);
  }

  /**
   * {@return the memory that a mirror takes in each process that has one, in bytes} That is the
   * bits and the {@linkplain #removedKeysBytes removed keys}. A process holds the bits of keys that
   * expired until the next bucket begins; they are not included.
   */
  public long mirrorBytes() {
    return generations.stream()
                .filter(generation -> generation.state() != State.EXPIRED)
                .mapToLong(Generation::slots)
                .sum()
            * Long.BYTES
        + removedKeysBytes();
  }

  @Override
  public boolean removable() {
    return removableKeys > 0;
  }

  /**
   * {@return the memory that the removed keys take in each process with a mirror, in bytes} It is
   * more in a process in which keys were removed and added again.
   */
  public long removedKeysBytes() {
    if (!removable()) {
      return 0;
    }
    long places = FEWEST_REMOVED_PLACES;
    while (keysRemoved * 3 > places * 2) {
      places *= 2;
    }
    return 2 * Long.BYTES * places;
  }

  /** {@return the disk space of the slot tables in bytes, as the server reports it} */
  public long slotTableBytes() {
    return generations.stream().mapToLong(Generation::tableBytes).sum();
  }

  /** {@return the number of keys from which on it is {@link #nearlyFull}} */
  public long nearlyFullAt() {
    long over = keysInPastBuckets();
    return over + (long) Math.ceil(NEARLY_FULL * (fullAt - over));
  }

  /** {@return the number of journal entries whose bits are not in the slot tables yet} */
  public long backlog() {
    return lastSequence - foldedSequence;
  }

  /**
   * The span of time in which keys came into a generation of a window.
   *
   * @param begin when it began, by the database clock. A generation whose successor had no table
   *     holds older keys as well
   * @param end when it ends or ended
   * @param expiresAt when its keys expire
   * @param over true if it takes no more keys: its end has come, or another bucket has begun
   * @param keys keys that were counted in it, added and renewed, in all of its generations
   */
  public record Bucket(Instant begin, Instant end, Instant expiresAt, boolean over, long keys) {}

  /**
   * One generation of a filter: a bit array with a slot table of its own.
   *
   * @param number counts from 1; numbers of dropped filters of the same name are not used again
   * @param state its role: active, being filled to replace the active ones, or expired
   * @param bucket the bucket of a window that it belongs to; empty if keys never expire.
   *     Generations of one bucket have equal ones
   * @param capacity keys that it was sized for
   * @param falsePositiveRate false positive rate that it was sized for
   * @param bits size of the bit array, m
   * @param hashes bits per key, k
   * @param slotTable the table that holds its slots
   * @param slotRows rows in that table; a missing row is 64 zero bits
   * @param tableBytes disk space of that table in bytes, as the server reports it
   * @param bitsSet set bits in that table
   * @param unfoldedKeys keys that it takes from journal entries whose bits are not in that table
   *     yet
   * @param fill the share of the bits that are set once all keys that were added are folded, from 0
   *     to 1: exact if all are, and expected otherwise. A standard layout has about 0.5 at
   *     capacity, if k is the best for m and n (Bloom, 1970)
   * @param currentFalsePositiveRate its own current false positive rate: from the bits that are
   *     set, or as expected with the keys that are not folded yet
   */
  public record Generation(
      int number,
      State state,
      Optional<Bucket> bucket,
      long capacity,
      double falsePositiveRate,
      long bits,
      int hashes,
      String slotTable,
      long slotRows,
      long tableBytes,
      long bitsSet,
      long unfoldedKeys,
      double fill,
      double currentFalsePositiveRate) {

    /** The role of a generation in its filter. */
    public enum State {
      /** The generation is active: keys of the filter may be in it. */
      ACTIVE,
      /** The generation is being filled to replace the active ones. It is not active yet. */
      FILLING,
      /** The keys of the generation expired. It is not active, and its table will be dropped. */
      EXPIRED
    }

    /** {@return the number of 64-bit slots that hold the bit array} */
    public long slots() {
      return (bits + Long.SIZE - 1) / Long.SIZE;
    }
  }
}
