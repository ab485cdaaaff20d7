package io.github.slotbloom;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.error.InvalidParameterException;
import java.util.Objects;
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

  /** Begins a specification for keys of that type; {@link Builder#capacity} must be given. */
  public static <K> Builder<K> builder(KeyType<K> keyType) {
    return new Builder<>(Objects.requireNonNull(keyType, "keyType"));
  }

  public KeyType<K> keyType() {
    return chosen.keyType;
  }

  public long capacity() {
    return chosen.capacity;
  }

  public double falsePositiveRate() {
    return chosen.falsePositiveRate;
  }

  public Layout layout() {
    return chosen.layout;
  }

  public HashAlgorithm hash() {
    return chosen.hash;
  }

  public long seed() {
    return chosen.seed;
  }

  public WriteMode writeMode() {
    return chosen.writeMode;
  }

  public boolean growable() {
    return chosen.growable;
  }

  /**
   * The error rate that the first generation is sized for: half the target if the filter may grow,
   * else all of it.
   */
  public double firstGenerationRate() {
    return growable() ? Sizing.firstGenerationRate(falsePositiveRate()) : falsePositiveRate();
  }

  /** The size of the first generation. */
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
    private long bits;
    private int hashes;
    private Layout layout = Layout.BLOCKED;
    private HashAlgorithm hash = HashAlgorithm.XXH3_64;
    private long seed;
    private WriteMode writeMode = WriteMode.DEFERRED;
    private boolean growable = true;
    private @Nullable BloomParameters parameters;

    private Builder(KeyType<K> keyType) {
      this.keyType = keyType;
    }

    private Builder(Builder<K> other) {
      this(other.keyType);
      capacity = other.capacity;
      falsePositiveRate = other.falsePositiveRate;
      bits = other.bits;
      hashes = other.hashes;
      layout = other.layout;
      hash = other.hash;
      seed = other.seed;
      writeMode = other.writeMode;
      growable = other.growable;
    }

    /** How many distinct keys the filter is for, 1 to 2^40. Leave a fifth of room. */
    public Builder<K> capacity(long keys) {
      capacity = keys;
      return this;
    }

    /**
     * How many of the keys that were never added may be answered "seen" when the filter is full,
     * between 0 and 1.
     */
    public Builder<K> falsePositiveRate(double rate) {
      falsePositiveRate = rate;
      return this;
    }

    /**
     * Sets the size of the bit array and the bits per key instead of having them computed. The
     * filter is then fixed, and its target is the error rate that this size has at {@link
     * #capacity}.
     */
    public Builder<K> explicitSize(long bits, int hashes) {
      this.bits = bits;
      this.hashes = hashes;
      return this;
    }

    public Builder<K> layout(Layout layout) {
      this.layout = Objects.requireNonNull(layout, "layout");
      return this;
    }

    public Builder<K> hash(HashAlgorithm hash) {
      this.hash = Objects.requireNonNull(hash, "hash");
      return this;
    }

    /**
     * The seed of the hash function, 0 by default. Filters can be compared and merged only if
     * theirs is the same.
     */
    public Builder<K> seed(long seed) {
      this.seed = seed;
      return this;
    }

    public Builder<K> writeMode(WriteMode writeMode) {
      this.writeMode = Objects.requireNonNull(writeMode, "writeMode");
      return this;
    }

    /**
     * Gives the whole error rate to the first generation. Such a filter can never grow by layers.
     */
    public Builder<K> fixed() {
      growable = false;
      return this;
    }

    /**
     * Checks everything.
     *
     * @throws InvalidParameterException if a number is out of its range
     */
    public FilterSpec<K> build() {
      Builder<K> copy = new Builder<>(this);
      if (hashes != 0 || bits != 0) {
        copy.parameters = new BloomParameters(layout, bits, hashes);
        copy.growable = false;
        copy.falsePositiveRate = Sizing.expectedFalsePositiveRate(copy.parameters, capacity);
      }
      FilterSpec<K> spec = new FilterSpec<>(copy);
      try {
        spec.parameters();
      } catch (InvalidParameterException e) {
        throw copy.growable
            ? new InvalidParameterException(
                e.getMessage()
                    + " (Half of the "
                    + falsePositiveRate
                    + " that were asked for, since the filter may grow.)")
            : e;
      }
      return spec;
    }
  }
}
