package io.github.slotbloom;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.PossibleSizes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The stored parameters of a filter. A filter is created from a specification, and a stored filter
 * can be compared with one when it is opened. Immutable.
 *
 * <pre>{@code
 * FilterSpec<String> urls = FilterSpec.builder(KeyType.text()).capacity(10_000_000).falsePositiveRate(0.001).build();
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public sealed class FilterSpec<K> {

  /** The default of {@link Builder#buildRemovable()}: a filter is rebuilt from 10 percent on. */
  public static final int DEFAULT_REMOVABLE_PERCENT = 10;

  /** The default false positive rate: 0.001. */
  public static final double DEFAULT_FALSE_POSITIVE_RATE = 0.001;

  static final String CANNOT_EXPIRE = "A filter cannot expire";

  private static final Instant YEAR_10000 = Instant.parse("+10000-01-01T00:00:00Z");

  private final Builder<K> chosen;

  private FilterSpec(Builder<K> chosen) {
    this.chosen = chosen;
  }

  /**
   * Begins a specification; {@link Builder#capacity} must be given.
   *
   * @param <K> the type of the keys
   * @param keyType the type of the keys, which says which bytes of a key are hashed
   * @return a builder with the defaults: a false positive rate of 0.1 %, layout BLOCKED, hash XXH3,
   *     seed 0, and automatic growth
   */
  public static <K> Builder<K> builder(KeyType<K> keyType) {
    return new Builder<>(Objects.requireNonNull(keyType, "keyType"));
  }

  /**
   * Begins a specification of a filter of text.
   *
   * @param capacity as for {@link Builder#capacity}
   * @return a builder with the defaults of {@link #builder}
   */
  public static Builder<String> text(long capacity) {
    return builder(KeyType.text()).capacity(capacity);
  }

  /**
   * Begins a specification of a filter of numbers.
   *
   * @param capacity as for {@link Builder#capacity}
   * @return a builder with the defaults of {@link #builder}
   */
  public static Builder<Long> longs(long capacity) {
    return builder(KeyType.longs()).capacity(capacity);
  }

  /** {@return the type of the keys, which says which bytes of a key are hashed} */
  public KeyType<K> keyType() {
    return chosen.keyType;
  }

  /**
   * {@return the number of distinct keys that the filter is sized for; of a window, those in its
   * whole length}
   */
  public long capacity() {
    return chosen.capacity;
  }

  /**
   * {@return the target false positive rate at capacity, between 0 and 1; with an explicit size,
   * the rate that follows from that size}
   */
  public double falsePositiveRate() {
    return chosen.falsePositiveRate;
  }

  /** {@return the layout, which says where the bits of a key lie} */
  public Layout layout() {
    return chosen.layout;
  }

  /** {@return the hash function of the keys} */
  public HashAlgorithm hash() {
    return chosen.hash;
  }

  /**
   * {@return the seed of the hash function; empty if any seed will do} If it is empty, a new filter
   * gets a random seed, and a stored filter is opened with any seed.
   */
  public OptionalLong seed() {
    Long explicit = chosen.seed;
    if (explicit != null) {
      return OptionalLong.of(explicit);
    }
    return hash().isKeyed() ? OptionalLong.empty() : OptionalLong.of(0);
  }

  /** Returns the same specification with that seed. */
  FilterSpec<K> withSeed(long seed) {
    Builder<K> seeded = new Builder<>(chosen).seed(seed);
    return chosen.removablePercent == 0
        ? seeded.build()
        : seeded.buildRemovable(chosen.removablePercent);
  }

  /** {@return true if the false positive rate of the filter leaves room for later generations} */
  public boolean growable() {
    return chosen.growable;
  }

  /** {@return true if the database keeps the hashes of all keys} */
  public boolean retainHashes() {
    return chosen.retainHashes;
  }

  /** {@return how long keys are found; empty if they never expire} */
  public Optional<Window> window() {
    return Optional.ofNullable(chosen.window);
  }

  /**
   * {@return the number of distinct keys that the first generation is sized for: all, or the share
   * of one bucket of a window}
   */
  public long firstGenerationCapacity() {
    Window window = chosen.window;
    return window == null
        ? capacity()
        : Math.max(1, (capacity() + window.buckets() - 1) / window.buckets());
  }

  /**
   * {@return the share of the capacity, in percent, that is removed when a filter that retains
   * hashes is rebuilt; empty if keys cannot be removed}
   */
  public OptionalInt removablePercent() {
    return chosen.removablePercent == 0
        ? OptionalInt.empty()
        : OptionalInt.of(chosen.removablePercent);
  }

  /**
   * {@return the treatment of new keys beyond the capacity} It can be changed later, so it is not
   * compared when a filter is opened.
   */
  public OnFull onFull() {
    OnFull explicit = chosen.onFull;
    if (explicit != null) {
      return explicit;
    }
    return growable() ? OnFull.GROW : OnFull.DEGRADE;
  }

  /**
   * {@return when a new filter expires, by the database clock; empty if it never does} It can be
   * changed later, so it is not compared when a filter is opened.
   */
  public Optional<Instant> expiresAt() {
    return Optional.ofNullable(chosen.expiresAt);
  }

  /**
   * {@return the false positive rate that the first generation is sized for: half the target if the
   * filter may grow, else the whole target, and of a window the share of one bucket of that} See
   * {@link Sizing#generationRate} and {@link Sizing#bucketRate}.
   */
  public double firstGenerationRate() {
    Window window = chosen.window;
    double rate =
        window == null
            ? falsePositiveRate()
            : Sizing.bucketRate(falsePositiveRate(), window.buckets());
    return growable() ? Sizing.firstGenerationRate(rate) : rate;
  }

  /**
   * {@return the size of the first generation: the explicit size, or the result of {@link
   * Sizing#forCapacity}}
   */
  public BloomParameters parameters() {
    BloomParameters explicit = chosen.parameters;
    return explicit != null
        ? explicit
        : Sizing.forCapacity(layout(), firstGenerationCapacity(), firstGenerationRate());
  }

  /**
   * Returns the moment as it is stored.
   *
   * @param use the beginning of the message that says that it cannot be
   * @throws InvalidParameterException if it cannot be
   */
  static Instant requireStorable(String use, Instant at) {
    if (at.isBefore(Instant.EPOCH) || !at.isBefore(YEAR_10000)) {
      throw new InvalidParameterException(
          "%s at %s. Use a time in the years 1970 to 9999.".formatted(use, at));
    }
    return at.truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * The stored parameters of a filter from which keys can be removed. Immutable.
   *
   * @param <K> the type of the keys
   */
  public static final class Removable<K> extends FilterSpec<K> {
    private Removable(Builder<K> chosen) {
      super(chosen);
    }
  }

  /**
   * Builds a {@link FilterSpec}. Not thread-safe.
   *
   * @param <K> the type of the keys
   */
  public static final class Builder<K> {
    private static final int USUAL_BUCKETS = 8;

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
    private int removablePercent;
    private @Nullable Window window;
    private boolean renews;
    private @Nullable OnFull onFull;
    private @Nullable Instant expiresAt;
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
      window = other.window;
      renews = other.renews;
      onFull = other.onFull;
      expiresAt = other.expiresAt;
    }

    /**
     * Sets the number of distinct keys that the filter is sized for. Plan for a fifth more than you
     * expect.
     *
     * @param keys from 1 to 2^40
     * @return this
     */
    public Builder<K> capacity(long keys) {
      capacity = keys;
      return this;
    }

    /**
     * Sets the false positive rate: the share of keys that were never added but are reported as
     * seen when the filter is full.
     *
     * @param rate between 0 and 1, and at least 4 {@code capacity} / 2^64, because of the
     *     collisions of a 64-bit hash
     * @return this
     */
    public Builder<K> falsePositiveRate(double rate) {
      falsePositiveRate = rate;
      return this;
    }

    /**
     * Sets the size of the bit array and the bits per key, which are otherwise computed. The filter
     * is then fixed, and its target is the false positive rate that follows from this size at
     * {@link #capacity}.
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
     * Sets where the bits of a key lie. The default is {@link Layout#BLOCKED}.
     *
     * @param layout not null
     * @return this
     */
    public Builder<K> layout(Layout layout) {
      this.layout = Objects.requireNonNull(layout, "layout");
      return this;
    }

    /**
     * Sets the hash function. The default is {@link HashAlgorithm#XXH3_64}.
     *
     * @param hash not null
     * @return this
     */
    public Builder<K> hash(HashAlgorithm hash) {
      this.hash = Objects.requireNonNull(hash, "hash");
      return this;
    }

    /**
     * Sets the seed of the hash function. The default is 0; with a {@link HashAlgorithm#isKeyed
     * keyed} hash, the default is a seed that is drawn at random when the filter is created.
     * Filters can be compared and merged only if they have the same seed.
     *
     * @param seed any number; a secret if the hash is keyed; 0 to 4294967295 with {@link
     *     HashAlgorithm#MURMUR3_128}
     * @return this
     */
    public Builder<K> seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * Sets the treatment of new keys beyond the capacity. The default is {@link OnFull#GROW}; for a
     * filter that is {@link #fixed} or has an {@link #explicitSize} it is {@link OnFull#DEGRADE}.
     *
     * @param onFull not null; GROW only if the filter may grow
     * @return this
     */
    public Builder<K> onFull(OnFull onFull) {
      this.onFull = Objects.requireNonNull(onFull, "onFull");
      return this;
    }

    /**
     * Lets the filter expire: from that moment on it no longer exists for any client, and later its
     * tables are dropped. The default is that it never does. See {@link FilterAdmin#expireAt},
     * which also changes it later.
     *
     * @param at a moment from 1970 to 9999, compared with the database clock ({@link
     *     SlotBloom#databaseTime}); fractions of a millisecond are dropped. It must be yet to come
     *     when a filter is created
     * @return this
     * @throws InvalidParameterException if the moment is outside its range
     */
    public Builder<K> expiresAt(Instant at) {
      this.expiresAt = requireStorable(CANNOT_EXPIRE, at);
      return this;
    }

    /**
     * Gives the whole false positive rate to the first generation. The filter can then never grow
     * by another layer.
     *
     * @return this
     */
    public Builder<K> fixed() {
      growable = false;
      return this;
    }

    /**
     * Keeps the 64-bit hashes of all keys in the database, about 12 bytes for each key. Without
     * this, they are deleted two hours after their bits are in the slots. The hashes are needed to
     * rebuild the filter in another size from the filter itself. This cannot be changed later.
     *
     * @return this
     */
    public Builder<K> retainHashes() {
      retainHashes = true;
      return this;
    }

    /**
     * Lets keys expire: the filter becomes a window over time, which never fills up. A key is found
     * for at least {@code length} after it was added, and for at most a bucket and the lease of two
     * seconds longer. Then it is new again. Adding a key again does not extend its lifetime, unless
     * {@link #renew} is set. The database clock counts. This cannot be changed later.
     *
     * <p>The {@link #capacity} is the number of distinct keys in the whole length. Each bucket is
     * sized by what the ones before it held, and grows if more keys come. With {@link
     * OnFull#REFUSE} and {@link OnFull#DEGRADE} it is the limit: each bucket takes its share of it.
     *
     * <p>A window cannot {@link #retainHashes retain hashes} or have an {@link #explicitSize}.
     *
     * @param length how long a key is found at least
     * @param buckets number of buckets that the length is divided into, from 1 to {@value
     *     Window#MAX_BUCKETS}; a bucket takes at least a second
     * @return this
     * @throws InvalidParameterException if a number is outside its range
     */
    public Builder<K> window(Duration length, int buckets) {
      window = new Window(length, buckets, false);
      return this;
    }

    /**
     * Lets keys expire, as {@link #window} does with {@value #USUAL_BUCKETS} buckets: a key is
     * found for at least that long, and for at most an eighth longer.
     *
     * @param length how long a key is found at least; whole seconds, at least eight
     * @return this
     * @throws InvalidParameterException if it is outside its range
     */
    public Builder<K> keepFor(Duration length) {
      return window(length, USUAL_BUCKETS);
    }

    /**
     * Restarts the lifetime of a key of a {@link #window} each time that it is added. This costs
     * one write for each key and bucket. The answer of the add stays "seen".
     *
     * @return this
     */
    public Builder<K> renew() {
      renews = true;
      return this;
    }

    /**
     * Checks the settings and creates the specification.
     *
     * @return the specification; the builder may be used again for another
     * @throws InvalidParameterException if a number is outside its range, if the filter is to grow
     *     automatically but is fixed, or if it is a window and what windows cannot be
     */
    public FilterSpec<K> build() {
      return new FilterSpec<>(checked(0));
    }

    /**
     * Creates the specification of a filter from which keys can be removed. With retained hashes it
     * is rebuilt when more than 10 percent of its capacity is removed. See {@link
     * #buildRemovable(int)}.
     *
     * @return the specification; the builder may be used again for another
     * @throws InvalidParameterException as {@link #build} does
     */
    public Removable<K> buildRemovable() {
      return buildRemovable(DEFAULT_REMOVABLE_PERCENT);
    }

    /**
     * Creates the specification of a filter from which keys can be removed. The hashes of removed
     * keys are kept beside the bits, which stay set: in memory 24 to 48 bytes for each, in the
     * database about 60. Rebuilding the filter frees them. A filter that {@link #retainHashes
     * retains hashes} does so automatically: use one where keys come and go all the time. Any other
     * filter must be replaced from a source of its keys, and until then removed keys count toward
     * its capacity. This cannot be changed later.
     *
     * <p>Keys up to the capacity can be removed, and at least 1000; any number if the filter grows.
     * So no removal is refused as long as the filter has room for new keys.
     *
     * <p>A filter of this kind answers yes and "seen" only after it has read the end of the
     * journal, one read by primary key, unless {@link FilterOptions#freshness} allows older
     * answers.
     *
     * @param percent share of the capacity, from 1 to 100: once more is removed, and more than 1000
     *     keys or half of the capacity, a filter that retains hashes is rebuilt automatically. One
     *     that does not grow is rebuilt earlier when it is nearly full
     * @return the specification; the builder may be used again for another
     * @throws InvalidParameterException if the percentage is outside its range, or as {@link
     *     #build} does
     */
    public Removable<K> buildRemovable(int percent) {
      if (percent < 1 || percent > 100) {
        throw new InvalidParameterException(
            "The share of removed keys is %s percent. Use a number from 1 to 100."
                .formatted(percent));
      }
      return new Removable<>(checked(percent));
    }

    /** Returns a copy that is complete and has no setting that contradicts another. */
    private Builder<K> checked(int percent) {
      Builder<K> copy = new Builder<>(this);
      copy.removablePercent = percent;
      if (copy.seed != null) {
        copy.hash.requireSeed(copy.seed);
      }
      copy.window = windowToBuild();
      if (sized) {
        Sizing.requireCapacity(capacity);
        copy.parameters = new BloomParameters(layout, bits, hashes);
        copy.growable = false;
        copy.falsePositiveRate = Sizing.expectedFalsePositiveRate(copy.parameters, capacity);
      }
      if (!copy.growable && copy.onFull == OnFull.GROW) {
        throw new InvalidParameterException(
            "A filter that is fixed or has an explicit size cannot grow when it is full. Set on-full"
                + " to refuse or degrade, or leave the filter growable.");
      }
      if (!sized) {
        copy.requirePossible();
      }
      return copy;
    }

    /** Refuses numbers that are not possible. The message is about the whole request. */
    private void requirePossible() {
      Sizing.requireRate(falsePositiveRate);
      if (capacity < 1) {
        Sizing.requireCapacity(capacity);
      }
      if (isPossible(layout, capacity, falsePositiveRate)) {
        return;
      }
      boolean standardHelps =
          layout != Layout.STANDARD && isPossible(Layout.STANDARD, capacity, falsePositiveRate);
      throw new InvalidParameterException(
          String.format(
              Locale.ROOT,
              "A %sfilter of the layout %s cannot have a false positive rate of %s with %,d keys;"
                  + " %s%s",
              growable ? "growable " : "",
              layout,
              falsePositiveRate,
              capacity,
              PossibleSizes.remedy(
                  capacity,
                  falsePositiveRate,
                  Sizing.MAX_CAPACITY,
                  (keys, rate) -> isPossible(layout, keys, rate)),
              standardHelps
                  ? ", or the layout STANDARD (slotbloom reserve --layout standard)"
                  : ""));
    }

    private boolean isPossible(Layout layout, long capacity, double falsePositiveRate) {
      FilterSpec<K> other =
          new FilterSpec<>(
              new Builder<>(this)
                  .layout(layout)
                  .capacity(capacity)
                  .falsePositiveRate(falsePositiveRate));
      return Sizing.isPossible(
          layout, other.firstGenerationCapacity(), other.firstGenerationRate());
    }

    private @Nullable Window windowToBuild() {
      if (window == null) {
        if (renews) {
          throw new InvalidParameterException(
              "Keys that never expire cannot be renewed. Set a window, or omit renew.");
        }
        return null;
      }
      requireNotWindow(retainHashes, "retain hashes");
      requireNotWindow(sized, "have an explicit size");
      return new Window(window.length(), window.buckets(), renews);
    }

    private static void requireNotWindow(boolean wanted, String what) {
      if (wanted) {
        throw new InvalidParameterException(
            "A window, whose keys expire, cannot %s. Omit one of the two.".formatted(what));
      }
    }
  }
}
