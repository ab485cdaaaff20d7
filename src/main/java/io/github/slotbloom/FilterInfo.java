package io.github.slotbloom;

import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The parameters and figures of one filter, read from the database at one moment.
 *
 * <p>Only this library implements it; later versions may tell more.
 */
public interface FilterInfo {

  /** {@return number of the filter, never used twice in a database} */
  long id();

  /** {@return its name} */
  String name();

  /**
   * {@return id of its key type: {@code text}, {@code bytes}, {@code long} or {@code custom:...}}
   */
  String keyType();

  /** {@return id of its hash function} */
  String hash();

  /** {@return seed of its hash function; a secret one is not shown as text} */
  Seed seed();

  /** {@return where the bits of a key lie} */
  Layout layout();

  /** {@return true if its error rate leaves room for later generations} */
  boolean growable();

  /** {@return true if the hashes of all its keys are kept} */
  boolean retainHashes();

  /** {@return how long keys are found; empty if they never expire} */
  Optional<Window> window();

  /**
   * {@return the number of keys that the filter is made for; of a window, in its whole length, if
   * all buckets were sized like the present one}
   */
  long capacity();

  /**
   * {@return the number of {@linkplain #keysSet keys that take room} at which the filter is full}
   * That is its capacity, and of a window the keys of the buckets that are over and those that the
   * present one is made for.
   */
  long fullAt();

  /** {@return target error rate of the whole filter at capacity} */
  double falsePositiveRate();

  /** {@return the treatment of new keys beyond the capacity} */
  WhenFull whenFull();

  /** {@return 1 at first; each clear adds 1} */
  long epoch();

  /**
   * {@return keys that were answered "new" since the filter was made or cleared; without those that
   * were removed, if the filter retains hashes, and without those that expired}
   */
  long keysAdded();

  /**
   * {@return keys of a window that were added again and so live longer, once for each bucket that
   * has them beside the first; without those that expired}
   */
  long keysRenewed();

  /**
   * {@return removed keys whose bits are still set; of a window the keys that were removed in all
   * buckets that have not expired; 0 if keys cannot be removed}
   */
  long keysRemoved();

  /**
   * {@return the largest number of removed keys before the filter must be built anew, or grows; 0
   * if keys cannot be removed}
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
   * {@return current error rate: from the bits that are set, or as expected for the estimated keys
   * if some of them are not folded yet}
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
   * {@return questions and answers of all processes in the last {@value #USAGE_DAYS} days,
   * including today by UTC, since the filter was last cleared. A process reports its usage twice a
   * minute and when it closes the filter; if it is killed, its unreported usage is lost}
   */
  FilterUsage usage();

  /** {@return when the filter was reserved} */
  Instant createdAt();

  /** {@return when it expires, by the clock of the database; empty if it never does} */
  Optional<Instant> expiresAt();

  /** {@return its generations, oldest first} */
  List<Generation> generations();

  /** The share of its capacity at which a filter becomes {@link #nearlyFull()}. */
  double NEARLY_FULL = 0.8;

  /**
   * The set of removed keys begins with so many places, and doubles when two in three are taken.
   */
  long FEWEST_REMOVED_PLACES = 64;

  /** The number of days that {@link #usage} covers. */
  int USAGE_DAYS = 7;

  /**
   * {@return the number of keys in the filter: those that were answered "new", without those that
   * were removed} It is too small by the keys that were never answered "new" because they are false
   * positives, and by those that were removed without having been added. Of a window it is the
   * number of keys that were new in the buckets that have not expired, removed or not.
   */
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

  /** {@return the total size of the bit arrays of all active generations, in bits} */
  default long bits() {
    return answering().mapToLong(Generation::bits).sum();
  }

  /**
   * {@return the capacity that the filter will have once it is replaced, in keys; empty if it is
   * not being replaced} Until then {@link #capacity} applies, because only the old generations
   * answer.
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

  /**
   * {@return the part of the capacity that is used; more than 1 if the filter is overfull} Of a
   * window it is the part of the present bucket, since the others take no more keys.
   */
  default double used() {
    long over = keysInPastBuckets();
    return (double) (keysSet() - over) / Math.max(1, fullAt() - over);
  }

  /**
   * {@return the number of keys in buckets of a window that are over and have not expired; 0 if
   * keys never expire}
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

  /** {@return true if keys can be removed} */
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

  /**
   * {@return true if the keys take at least 80 % of its capacity} It is then time to let it grow,
   * unless it grows by itself. Of a window, the {@linkplain #used present bucket} counts alone.
   */
  default boolean nearlyFull() {
    return keysSet() >= nearlyFullAt();
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
     * {@return when it began, by the clock of the database. A generation whose successor had no
     * table holds older keys as well}
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
     * {@return tells whether it answers, is being filled to replace the generations that do, or has
     * expired}
     */
    State state();

    /**
     * {@return the bucket of a window that it belongs to; empty if keys never expire. Generations
     * of one bucket have equal ones}
     */
    Optional<Bucket> bucket();

    /** {@return keys that it was sized for} */
    long capacity();

    /** {@return error rate that it was sized for} */
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
     * {@return its own current error rate: from the bits that are set, or as expected with the keys
     * that are not folded yet}
     */
    double currentFalsePositiveRate();

    /** The role of a generation in its filter. */
    enum State {
      /** The generation answers: keys of the filter may be in it. */
      ACTIVE,
      /** The generation is being filled to replace the active ones. It does not answer yet. */
      FILLING,
      /** The keys of the generation expired. It does not answer, and its table will be dropped. */
      EXPIRED
    }

    /** {@return the number of 64-bit slots that hold the bit array} */
    default long slots() {
      return (bits() + Long.SIZE - 1) / Long.SIZE;
    }
  }
}
