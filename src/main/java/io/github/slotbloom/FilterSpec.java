package io.github.slotbloom;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.InvalidParameterException;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a filter is made with, and what a stored one is compared with when it is opened. Immutable.
 *
 * <pre>{@code
 * FilterSpec<String> urls = FilterSpec.builder(KeyType.text()).capacity(10_000_000).falsePositiveRate(0.001).build();
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public final class FilterSpec<K> {

  /** The target when none is given. */
  public static final double DEFAULT_FALSE_POSITIVE_RATE = 0.001;

  private final Builder<K> chosen;

  private FilterSpec(Builder<K> chosen) {
    this.chosen = chosen;
  }

  /**
   * Begins a specification; {@link Builder#capacity} must be given.
   *
   * @param <K> the type of the keys
   * @param keyType what the keys are, and which bytes of them are hashed
   * @return a builder with the defaults: 0.1 % false positives, blocked, XXH3, seed 0, growing by
   *     itself
   */
  public static <K> Builder<K> builder(KeyType<K> keyType) {
    return new Builder<>(Objects.requireNonNull(keyType, "keyType"));
  }

  /** {@return what the keys are, and which bytes of them are hashed} */
  public KeyType<K> keyType() {
    return chosen.keyType;
  }

  /** {@return how many distinct keys the filter is for} */
  public long capacity() {
    return chosen.capacity;
  }

  /**
   * {@return the target error rate at capacity, between 0 and 1; with an explicit size, the rate
   * that follows from it}
   */
  public double falsePositiveRate() {
    return chosen.falsePositiveRate;
  }

  /** {@return where the bits of a key lie} */
  public Layout layout() {
    return chosen.layout;
  }

  /** {@return the hash function of the keys} */
  public HashAlgorithm hash() {
    return chosen.hash;
  }

  /**
   * {@return the seed of the hash function; empty if any will do: a filter is then reserved with
   * one drawn at random, and opened whatever it has}
   */
  public OptionalLong seed() {
    Long explicit = chosen.seed;
    if (explicit != null) {
      return OptionalLong.of(explicit);
    }
    return hash().isKeyed() ? OptionalLong.empty() : OptionalLong.of(0);
  }

  /** {@return whether the filter leaves room in its error rate for later generations} */
  public boolean growable() {
    return chosen.growable;
  }

  /** {@return whether the database keeps the hashes of all keys} */
  public boolean retainHashes() {
    return chosen.retainHashes;
  }

  /**
   * {@return what is done with new keys beyond the capacity} It can be changed later, so it is not
   * compared when a filter is opened.
   */
  public WhenFull whenFull() {
    WhenFull explicit = chosen.whenFull;
    if (explicit != null) {
      return explicit;
    }
    return growable() ? WhenFull.GROW : WhenFull.DEGRADE;
  }

  /**
   * {@return the error rate that the first generation is sized for: half the target if the filter
   * may grow, else all of it} See {@link Sizing#generationRate}.
   */
  public double firstGenerationRate() {
    return growable() ? Sizing.firstGenerationRate(falsePositiveRate()) : falsePositiveRate();
  }

  /**
   * {@return the size of the first generation: the explicit one, or that of {@link
   * Sizing#forCapacity}}
   */
  public BloomParameters parameters() {
    BloomParameters explicit = chosen.parameters;
    return explicit != null
        ? explicit
        : Sizing.forCapacity(layout(), capacity(), firstGenerationRate());
  }

  /**
   * Collects the choices.
   *
   * @param <K> the type of the keys
   */
  public static final class Builder<K> {
    private final KeyType<K> keyType;
    private long capacity;
    private double falsePositiveRate = DEFAULT_FALSE_POSITIVE_RATE;
    private boolean sized;
    private long bits;
    private int hashes;
    private Layout layout = Layout.BLOCKED;
    private HashAlgorithm hash = HashAlgorithm.XXH3_64;
    private @Nullable Long seed;
    private boolean growable = true;
    private boolean retainHashes;
    private @Nullable WhenFull whenFull;
    private @Nullable BloomParameters parameters;

    private Builder(KeyType<K> keyType) {
      this.keyType = keyType;
    }

    private Builder(Builder<K> other) {
      this(other.keyType);
      capacity = other.capacity;
      falsePositiveRate = other.falsePositiveRate;
      sized = other.sized;
      bits = other.bits;
      hashes = other.hashes;
      layout = other.layout;
      hash = other.hash;
      seed = other.seed;
      growable = other.growable;
      retainHashes = other.retainHashes;
      whenFull = other.whenFull;
    }

    /**
     * How many distinct keys the filter is for. Leave a fifth of room.
     *
     * @param keys from 1 to 2^40
     * @return this
     */
    public Builder<K> capacity(long keys) {
      capacity = keys;
      return this;
    }

    /**
     * How many of the keys that were never added may be answered "seen" when the filter is full.
     *
     * @param rate between 0 and 1, and not as small as the collisions of a 64-bit hash: 4 {@code
     *     capacity} / 2^64 at least
     * @return this
     */
    public Builder<K> falsePositiveRate(double rate) {
      falsePositiveRate = rate;
      return this;
    }

    /**
     * Sets the size of the bit array and the bits per key instead of having them computed. The
     * filter is then fixed, and its target is the error rate that this size has at {@link
     * #capacity}.
     *
     * @param bits m, from 64 to 2^42; a multiple of 512 with {@link Layout#BLOCKED}
     * @param hashes k, from 1 to 64
     * @return this
     */
    public Builder<K> explicitSize(long bits, int hashes) {
      this.sized = true;
      this.bits = bits;
      this.hashes = hashes;
      return this;
    }

    /**
     * Where the bits of a key lie; {@link Layout#BLOCKED} by default.
     *
     * @param layout never null
     * @return this
     */
    public Builder<K> layout(Layout layout) {
      this.layout = Objects.requireNonNull(layout, "layout");
      return this;
    }

    /**
     * The hash function; {@link HashAlgorithm#XXH3_64} by default.
     *
     * @param hash never null
     * @return this
     */
    public Builder<K> hash(HashAlgorithm hash) {
      this.hash = Objects.requireNonNull(hash, "hash");
      return this;
    }

    /**
     * The seed of the hash function. By default it is 0, and with a {@link HashAlgorithm#isKeyed
     * keyed} hash one that is drawn at random when the filter is reserved. Filters can be compared
     * and merged only if theirs is the same.
     *
     * @param seed any number; a secret where the hash is keyed; 0 to 4294967295 with {@link
     *     HashAlgorithm#MURMUR3_128}
     * @return this
     */
    public Builder<K> seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * What is done with new keys beyond the capacity: {@link WhenFull#GROW} by default, and {@link
     * WhenFull#DEGRADE} for a filter that is {@link #fixed} or has an {@link #explicitSize}.
     *
     * @param whenFull never null; GROW only where the filter may grow
     * @return this
     */
    public Builder<K> whenFull(WhenFull whenFull) {
      this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
      return this;
    }

    /**
     * Gives the whole error rate to the first generation. Such a filter can never grow by layers.
     *
     * @return this
     */
    public Builder<K> fixed() {
      growable = false;
      return this;
    }

    /**
     * Keeps the 64-bit hashes of all keys in the database, some 12 bytes a key, where otherwise
     * they are deleted two hours after their bits are in the slots. What makes a filter anew from
     * its keys, in another size, needs them. This cannot be changed later; earlier versions of this
     * library refuse such a filter.
     *
     * @return this
     */
    public Builder<K> retainHashes() {
      retainHashes = true;
      return this;
    }

    /**
     * Checks everything.
     *
     * @return the specification; the builder may be used on for another
     * @throws InvalidParameterException if a number is out of its range, or if the filter shall
     *     grow by itself and leaves no room for that in its error rate
     */
    public FilterSpec<K> build() {
      Builder<K> copy = new Builder<>(this);
      if (copy.seed != null) {
        copy.hash.requireSeed(copy.seed);
      }
      if (sized) {
        Sizing.requireCapacity(capacity);
        copy.parameters = new BloomParameters(layout, bits, hashes);
        copy.growable = false;
        copy.falsePositiveRate = Sizing.expectedFalsePositiveRate(copy.parameters, capacity);
      }
      if (!copy.growable && copy.whenFull == WhenFull.GROW) {
        throw new InvalidParameterException(
            "A filter that is fixed or has an explicit size cannot grow when it is full. Let it"
                + " refuse or degrade, or leave it growable.");
      }
      FilterSpec<K> spec = new FilterSpec<>(copy);
      try {
        spec.parameters();
      } catch (InvalidParameterException e) {
        if (!copy.growable) {
          throw e;
        }
        // What is wrong with the whole rate as well is told without speaking of its half.
        Sizing.forCapacity(layout, capacity, falsePositiveRate);
        throw new InvalidParameterException(
            e.getMessage()
                + " (That is half of the "
                + falsePositiveRate
                + " that were asked for, since the filter may grow.)");
      }
      return spec;
    }
  }
}
