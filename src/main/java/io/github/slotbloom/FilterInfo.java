package io.github.slotbloom;

import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.report.FilterUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What the database says of one filter at one moment.
 *
 * @param id number of the filter, never used twice in a database
 * @param name its name
 * @param keyType id of its key type: {@code text}, {@code bytes}, {@code long} or {@code
 *     custom:...}
 * @param hash id of its hash function
 * @param seed seed of its hash function; where it is a secret, {@link #toString} leaves it out
 * @param layout where the bits of a key lie
 * @param growable whether it leaves room in its error rate for later generations
 * @param retainHashes whether the hashes of all its keys are kept
 * @param capacity keys that the generations that answer were made for, all together
 * @param falsePositiveRate target error rate of the whole filter at capacity
 * @param whenFull what is done with new keys beyond the capacity
 * @param epoch 1, and one more with each clear
 * @param keysAdded keys that were answered "new" since it was made or cleared
 * @param estimatedKeys distinct keys that the set bits of the slot tables speak of, of the
 *     generations that answer
 * @param saturated whether {@code estimatedKeys} means "at least", since nearly all bits are set
 * @param currentFalsePositiveRate error rate now, from the bits that are set
 * @param lastSequence number of the newest journal entry
 * @param foldedSequence number of the newest journal entry whose bits are in the slots
 * @param journalRows entries that the journal holds now, folded ones included
 * @param journalTableBytes disk that the table of the journals of all filters takes, as the server
 *     tells
 * @param foldLag how long the oldest entry waits that is not folded yet; zero if none does
 * @param usage what all processes asked it and were answered in the last {@value #USAGE_DAYS} days,
 *     today by UTC included, since it was cleared last. A process tells it twice a minute, and when
 *     it closes the filter; what it had not told when it was killed is missing
 * @param createdAt when it was reserved
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
    long capacity,
    double falsePositiveRate,
    WhenFull whenFull,
    long epoch,
    long keysAdded,
    double estimatedKeys,
    boolean saturated,
    double currentFalsePositiveRate,
    long lastSequence,
    long foldedSequence,
    long journalRows,
    long journalTableBytes,
    Duration foldLag,
    FilterUsage usage,
    Instant createdAt,
    List<Generation> generations) {

  /** The share of its capacity from which on a filter is {@link #nearlyFull()}. */
  static final double NEARLY_FULL = 0.8;

  /** How many days {@link #usage} goes back. */
  public static final int USAGE_DAYS = 7;

  /**
   * {@return set bits in the slot tables of all generations} Journal entries that are not folded
   * yet are not in it.
   */
  public long bitsSet() {
    return generations.stream().mapToLong(Generation::bitsSet).sum();
  }

  /** {@return sizes of the bit arrays of all generations that answer, added up} */
  public long bits() {
    return answering().mapToLong(Generation::bits).sum();
  }

  /**
   * {@return keys that the filter will be made for once it is replaced; empty if it is not being
   * replaced} Until then it is {@link #capacity} that counts, since the old generations alone
   * answer.
   */
  public OptionalLong replacementCapacity() {
    return generations.stream()
        .filter(generation -> generation.state() == State.FILLING)
        .mapToLong(Generation::capacity)
        .findAny();
  }

  /** {@return bits of the generations that answer, for each key of the capacity} */
  public double bitsPerKey() {
    return (double) bits() / capacity;
  }

  /** {@return set bits of the generations that answer, as a part of all of theirs, 0 to 1} */
  public double fill() {
    return (double) answering().mapToLong(Generation::bitsSet).sum() / bits();
  }

  private Stream<Generation> answering() {
    return generations.stream().filter(generation -> generation.state() == State.ACTIVE);
  }

  /** {@return memory that the bits take in each process that has a mirror, in bytes} */
  public long mirrorBytes() {
    return generations.stream().mapToLong(Generation::slots).sum() * Long.BYTES;
  }

  /** {@return disk that the slot tables take, in bytes, as the server tells} */
  public long slotTableBytes() {
    return generations.stream().mapToLong(Generation::tableBytes).sum();
  }

  /**
   * {@return whether it holds {@value FilterOptions#DEFAULT_WARN_AT} of its capacity or more} It is
   * time to let it grow then, unless it does so by itself.
   */
  public boolean nearlyFull() {
    return keysAdded >= NEARLY_FULL * capacity;
  }

  /** {@return journal entries whose bits are not in the slot tables yet} */
  public long backlog() {
    return lastSequence - foldedSequence;
  }

  /**
   * One generation: a bit array with a slot table of its own.
   *
   * @param number counts from 1; numbers of dropped filters of the same name are not used again
   * @param state whether it answers, or is being filled to replace those that do
   * @param capacity keys that it was sized for
   * @param falsePositiveRate error rate that it was sized for
   * @param bits size of the bit array, m
   * @param hashes bits per key, k
   * @param slotTable the table that holds its slots
   * @param slotRows rows in that table; a missing row is 64 zero bits
   * @param tableBytes disk that it takes, as the server tells
   * @param bitsSet set bits in that table
   * @param currentFalsePositiveRate its own error rate now, from the bits that are set
   */
  public record Generation(
      int number,
      State state,
      long capacity,
      double falsePositiveRate,
      long bits,
      int hashes,
      String slotTable,
      long slotRows,
      long tableBytes,
      long bitsSet,
      double currentFalsePositiveRate) {

    /** What a generation is to its filter. */
    public enum State {
      /** A key may be in it. */
      ACTIVE,
      /** It is being filled, to replace the active ones; it does not answer yet. */
      FILLING
    }

    /** {@return slots of 64 bits that hold the bit array} */
    public long slots() {
      return (bits + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * {@return set bits as a part of all, 0 to 1} A standard layout has about 0.5 at capacity,
     * where k is the best for m and n (Bloom, 1970).
     */
    public double fill() {
      return (double) bitsSet / bits;
    }
  }
}
