package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Seed;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.store.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter as the catalog describes it.
 *
 * @param id never used twice
 * @param head the part that changes
 * @param keyType id of its key type
 * @param hash id of its hash function
 * @param seed seed of its hash function
 * @param layout where the bits of a key lie
 * @param growable true if its false positive rate leaves room for later generations
 * @param retainHashes true if the hashes of all keys are kept
 * @param removal how keys are removed; null if they cannot be
 * @param window how long keys are found; null if they never expire
 * @param falsePositiveRate target of the whole filter
 * @param lease how long a process may answer from memory after it last heard of the others
 * @param retention how long folded journal rows are kept
 */
public record FilterRecord(
    long id,
    FilterName name,
    TableNames tables,
    FilterHead head,
    String keyType,
    String hash,
    Seed seed,
    Layout layout,
    boolean growable,
    boolean retainHashes,
    @Nullable RemovalRecord removal,
    @Nullable Window window,
    double falsePositiveRate,
    Duration lease,
    Duration retention,
    Instant createdAt,
    Manifest manifest) {

  /**
   * The condition, in SQL, for a row of {@code bloom_filter} without a change that a process must
   * refuse. Its values are those of {@link #unchanged}.
   */
  public static final String UNCHANGED =
      "concat('-', `label`) = ? and `key_type` = ? and `hash` = ? and `seed` = ? and `layout` = ?"
          + " and `lease_millis` = ? and `retain_hashes` = ? and (`removable_percent` is not null)"
          + " = ? and coalesce(`bucket_millis`, 0) = ? and coalesce(`window_buckets`, 0) = ?";

  /** Returns the values of {@link #UNCHANGED}. */
  public List<Object> unchanged() {
    return make().unchanged();
  }

  /** Returns the number of keys that all generations together are sized for. */
  public long capacity() {
    return head.capacity();
  }

  /**
   * Returns which part of the capacity belongs to buckets that are over: as many keys as they hold.
   * Zero if keys never expire.
   */
  public long capacityOfOlderBuckets() {
    return window == null
        ? 0
        : Math.max(
            0,
            capacity()
                - manifest.ofNewestBucket().stream().mapToLong(GenerationRecord::capacity).sum());
  }

  /** Returns true if keys can be removed. */
  public boolean removable() {
    return removal != null;
  }

  /** Returns true if keys expire, unless they are added again. */
  public boolean renews() {
    return window != null && window.renews();
  }

  /**
   * Returns the target of one bucket, or of the whole filter if keys never expire. One bucket more
   * than the window has answers, and the false positive rates add up.
   */
  public double bucketFalsePositiveRate() {
    return window == null
        ? falsePositiveRate
        : Sizing.bucketRate(falsePositiveRate, window.buckets());
  }

  /**
   * Refuses a filter whose keys expire.
   *
   * @param what what cannot be done with it, as part of a sentence
   * @throws InvalidParameterException if it is one
   */
  public void requireEverlasting(String what) {
    if (window != null) {
      throw new InvalidParameterException(
          ("Filter %s is a window, whose keys expire, so it cannot %s. Create another window, and"
                  + " drop this one once its keys have expired.")
              .formatted(name, what));
    }
  }

  /** Returns the generations that a key may be in, oldest first. */
  public List<GenerationRecord> generations() {
    return manifest.read();
  }

  /**
   * Returns a generation that can hold all keys alone, for the next entry to begin. It has the size
   * of the first generation of a filter that is created with that capacity.
   *
   * @throws io.github.slotbloom.error.InvalidParameterException if no generation can be that large
   */
  public GenerationRecord sole(long capacity) {
    double target = bucketFalsePositiveRate();
    double rate = growable ? Sizing.firstGenerationRate(target) : target;
    return next(capacity, rate, Sizing.forCapacity(layout, capacity, rate));
  }

  /** Returns a generation for the next entry to begin. */
  public GenerationRecord next(long capacity, double rate, BloomParameters parameters) {
    int number = manifest.next();
    return new GenerationRecord(
        number,
        head.lastSeq() + 1,
        Tokens.next(),
        capacity,
        rate,
        parameters,
        tables.slots(number),
        0,
        null,
        false,
        null);
  }

  /**
   * Returns the expected false positive rate with that number of keys. Assumes that each generation
   * but the newest is filled to its capacity.
   */
  public double expectedFalsePositiveRate(long keysAdded) {
    List<Double> rates = new ArrayList<>();
    long left = keysAdded;
    for (GenerationRecord generation : generations()) {
      boolean newest = generation.number() == newestGeneration().number();
      long keys = newest ? left : Math.min(left, generation.capacity());
      rates.add(Sizing.expectedFalsePositiveRate(generation.parameters(), keys));
      left -= keys;
    }
    return Fill.anyFalsePositiveRate(rates);
  }

  /** Returns the active generation that takes new keys. */
  public GenerationRecord newestGeneration() {
    return manifest.newest();
  }

  /** Returns this filter with another head and its manifest. */
  public FilterRecord with(FilterHead otherHead, Manifest otherManifest) {
    return new FilterRecord(
        id,
        name,
        tables,
        otherHead,
        keyType,
        hash,
        seed,
        layout,
        growable,
        retainHashes,
        removal,
        window,
        falsePositiveRate,
        lease,
        retention,
        createdAt,
        otherManifest);
  }

  /**
   * Returns true if it ever had another generation than the one that it was created with, and those
   * that clears left of it.
   */
  public boolean hasGrown() {
    return manifest.token() != 0 && manifest.next() - 1 != head.epoch();
  }

  /** Returns true if the manifest of this record is that of the given head. */
  public boolean knows(FilterHead later) {
    return head.manifestToken() == later.manifestToken();
  }

  /** Returns the part of the record that never changes. */
  public FilterMake make() {
    return new FilterMake(
        name.value(),
        tables.label(),
        createdAt,
        keyType,
        hash,
        seed,
        layout.name(),
        lease.toMillis(),
        retainHashes,
        removal != null,
        window == null ? 0 : window.bucketLength().toMillis(),
        window == null ? 0 : window.buckets());
  }

  /**
   * Returns true if both are the same filter. After an older backup was restored, another filter
   * may have the same id.
   */
  public boolean isSameFilterAs(FilterRecord other) {
    return id == other.id && make().isSameFilterAs(other.make());
  }

  /**
   * Returns true if that is this filter as it is now, and false if another one has its number.
   *
   * @throws io.github.slotbloom.error.FilterNotFoundException if this filter was renamed
   */
  public boolean isNow(FilterRecord now) {
    make().requireNotRenamed(now.make());
    return now.isSameFilterAs(this);
  }

  /**
   * Refuses a change since this record was read if it affects the hash of a key, the place of a bit
   * or the lease. Other values may change, and the filter may grow.
   *
   * @throws CorruptFilterException if such a value changed; the message shows both values
   */
  public void requireUnchanged(FilterRecord now) {
    make().requireUnchanged(now.make());
    List<String> changes = new ArrayList<>();
    for (GenerationRecord before : manifest.all()) {
      String which = " of generation " + before.number();
      // A different token means that a failover or a restore lost history, which then went on in
      // another way.
      now.manifest.all().stream()
          .filter(before::isSameAs)
          .forEach(
              after -> {
                FilterMake.compare(
                    changes, "bits" + which, before.parameters().bits(), after.parameters().bits());
                FilterMake.compare(
                    changes,
                    "hashes" + which,
                    before.parameters().hashes(),
                    after.parameters().hashes());
              });
    }
    FilterMake.requireNone(name, changes);
  }
}
