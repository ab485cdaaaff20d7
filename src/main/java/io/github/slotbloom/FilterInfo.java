package io.github.slotbloom;

import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
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
 * <p>Only this library implements it; later versions may tell more.
 */
public interface FilterInfo extends FilterStatus {

  /** {@return id of its hash function} */
  String hash();

  /** {@return seed of its hash function; a secret one is not shown as text} */
  Seed seed();

  /** {@return where the bits of a key lie} */
  Layout layout();

  /** {@return true if the hashes of all its keys are kept} */
  boolean retainHashes();

  /**
   * {@return the number of {@linkplain #keysSet keys that take room} at which the filter is full}
   * That is its capacity, and of a window the keys in past buckets and those that the current one
   * is sized for.
   */
  long fullAt();

  /** {@return 1, plus 1 for each clear} */
  long epoch();

  /**
   * {@return keys of a window that were added again and so have a longer lifetime, once for each
   * bucket that has them beside the first; without those that expired}
   */
  long keysRenewed();

  /**
   * {@return the largest number of removed keys before the filter must be rebuilt, or grows; 0 if
   * keys cannot be removed}
   */
  long removableKeys();

  /**
   * {@return estimated number of distinct keys: those that the set bits of the active generations
   * tell of, and those of the entries that are not folded yet}
   */
  double estimatedKeys();

  /** {@return true if {@code estimatedKeys} means "at least", because nearly all bits are set} */
  boolean saturated();

  /**
   * {@return current false positive rate: from the bits that are set, or as expected for the
   * estimated keys if some of them are not folded yet}
   */
  double currentFalsePositiveRate();

  /** {@return number of the newest journal entry} */
  long lastSequence();

  /** {@return number of the newest journal entry whose bits are in the slots} */
  long foldedSequence();

  /** {@return entries that the journal holds now, including folded ones} */
  long journalRows();

  /**
   * {@return disk space of the table with the journals of all filters in bytes, as the server
   * reports it; what the entries of this filter take if that is more, since the server may have
   * counted long ago}
   */
  long journalTableBytes();

  /** {@return how long the oldest unfolded entry has been waiting; zero if there is none} */
  Duration foldLag();

  /**
   * {@return lookups and answers of all processes in the last {@value #USAGE_DAYS} days, including
   * today by UTC, since the filter was last cleared. A process reports its usage twice a minute and
   * when it closes the filter; if it is killed, its unreported usage is lost}
   */
  FilterUsage usage();

  /** {@return its generations, oldest first} */
  List<Generation> generations();

  /**
   * The set of removed keys begins with so many places, and doubles when two in three are taken.
   */
  long FEWEST_REMOVED_PLACES = 64;

  /** The number of days that {@link #usage} covers. */
  int USAGE_DAYS = 7;

  @Override
  default long keys() {
    return retainHashes() || window().isPresent()
        ? keysAdded()
        : Math.max(0, keysAdded() - keysRemoved());
  }

  /**
   * {@return the number of set bits in the slot tables of all generations} Journal entries that are
   * not folded yet are not included.
   */
  default long bitsSet() {
    return generations().stream().mapToLong(Generation::bitsSet).sum();
  }

  @Override
  default int generationCount() {
    return (int) answering().count();
  }

  @Override
  default long bits() {
    return answering().mapToLong(Generation::bits).sum();
  }

  /**
   * {@return the capacity that the filter will have once it is replaced, in keys; empty if it is
   * not being replaced} Until then {@link #capacity} applies, because only the old generations are
   * active.
   */
  default OptionalLong replacementCapacity() {
    return generations().stream()
        .filter(generation -> generation.state() == State.FILLING)
        .mapToLong(Generation::capacity)
        .findAny();
  }

  /** {@return the bits of the active generations divided by the capacity} */
  default double bitsPerKey() {
    return (double) bits() / fullAt();
  }

  /**
   * {@return the number of new keys in journal entries whose bits are not in the slot tables of the
   * active generations yet}
   */
  default long unfoldedKeys() {
    return answering().mapToLong(Generation::unfoldedKeys).sum();
  }

  /**
   * {@return the share of the bits of the active generations that are set once all keys that were
   * added are folded, from 0 to 1} It is exact if all are, and expected otherwise. It is 0 if no
   * generation answers, because all keys of a window expired.
   */
  default double fill() {
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
  default long keysSet() {
    return keysAdded() + keysRenewed() + (retainHashes() ? keysRemoved() : 0);
  }

  @Override
  default double used() {
    long over = keysInPastBuckets();
    return (double) (keysSet() - over) / Math.max(1, fullAt() - over);
  }

  /**
   * {@return the number of keys in past buckets of a window that have not expired; 0 if keys never
   * expire}
   */
  default long keysInPastBuckets() {
    return answering()
        .flatMap(generation -> generation.bucket().stream())
        .filter(Bucket::over)
        .distinct()
        .mapToLong(Bucket::keys)
        .sum();
  }

  private Stream<Generation> answering() {
    return generations().stream().filter(generation -> generation.state() == State.ACTIVE);
  }

  /**
   * {@return the memory that a mirror takes in each process that has one, in bytes} That is the
   * bits and the {@linkplain #removedKeysBytes removed keys}. A process holds the bits of keys that
   * expired until the next bucket begins; they are not included.
   */
  default long mirrorBytes() {
    return generations().stream()
                .filter(generation -> generation.state() != State.EXPIRED)
                .mapToLong(Generation::slots)
                .sum()
            * Long.BYTES
        + removedKeysBytes();
  }

  @Override
  default boolean removable() {
    return removableKeys() > 0;
  }

  /**
   * {@return the memory that the removed keys take in each process with a mirror, in bytes} It is
   * more in a process in which keys were removed and added again.
   */
  default long removedKeysBytes() {
    if (!removable()) {
      return 0;
    }
    long places = FEWEST_REMOVED_PLACES;
    while (keysRemoved() * 3 > places * 2) {
      places *= 2;
    }
    return 2 * Long.BYTES * places;
  }

  /** {@return the disk space of the slot tables in bytes, as the server reports it} */
  default long slotTableBytes() {
    return generations().stream().mapToLong(Generation::tableBytes).sum();
  }

  /** {@return the number of keys from which on it is {@link #nearlyFull}} */
  default long nearlyFullAt() {
    long over = keysInPastBuckets();
    return over + (long) Math.ceil(NEARLY_FULL * (fullAt() - over));
  }

  /** {@return the number of journal entries whose bits are not in the slot tables yet} */
  default long backlog() {
    return lastSequence() - foldedSequence();
  }

  /**
   * The span of time in which keys came into a generation of a window.
   *
   * <p>Only this library implements it; later versions may tell more.
   */
  interface Bucket {

    /**
     * {@return when it began, by the database clock. A generation whose successor had no table
     * holds older keys as well}
     */
    Instant begin();

    /** {@return when it ends or ended} */
    Instant end();

    /** {@return when its keys expire} */
    Instant expiresAt();

    /** {@return true if it takes no more keys: its end has come, or another bucket has begun} */
    boolean over();

    /** {@return keys that were counted in it, added and renewed, in all of its generations} */
    long keys();
  }

  /**
   * One generation of a filter: a bit array with a slot table of its own.
   *
   * <p>Only this library implements it; later versions may tell more.
   */
  interface Generation {

    /** {@return counts from 1; numbers of dropped filters of the same name are not used again} */
    int number();

    /**
     * {@return whether it is active, is being filled to replace the active ones, or has expired}
     */
    State state();

    /**
     * {@return the bucket of a window that it belongs to; empty if keys never expire. Generations
     * of one bucket have equal ones}
     */
    Optional<Bucket> bucket();

    /** {@return keys that it was sized for} */
    long capacity();

    /** {@return false positive rate that it was sized for} */
    double falsePositiveRate();

    /** {@return size of the bit array, m} */
    long bits();

    /** {@return bits per key, k} */
    int hashes();

    /** {@return the table that holds its slots} */
    String slotTable();

    /** {@return rows in that table; a missing row is 64 zero bits} */
    long slotRows();

    /** {@return disk space of that table in bytes, as the server reports it} */
    long tableBytes();

    /** {@return set bits in that table} */
    long bitsSet();

    /** {@return keys that it takes from journal entries whose bits are not in that table yet} */
    long unfoldedKeys();

    /**
     * {@return the share of the bits that are set once all keys that were added are folded, from 0
     * to 1: exact if all are, and expected otherwise. A standard layout has about 0.5 at capacity,
     * if k is the best for m and n (Bloom, 1970)}
     */
    double fill();

    /**
     * {@return its own current false positive rate: from the bits that are set, or as expected with
     * the keys that are not folded yet}
     */
    double currentFalsePositiveRate();

    /** The role of a generation in its filter. */
    enum State {
      /** The generation is active: keys of the filter may be in it. */
      ACTIVE,
      /** The generation is being filled to replace the active ones. It is not active yet. */
      FILLING,
      /** The keys of the generation expired. It is not active, and its table will be dropped. */
      EXPIRED
    }

    /** {@return the number of 64-bit slots that hold the bit array} */
    default long slots() {
      return (bits() + Long.SIZE - 1) / Long.SIZE;
    }
  }
}
