package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.measure.Keys;
import java.util.SplittableRandom;

/**
 * A cuckoo filter after Fan, Andersen, Kaminsky and Mitzenmacher (Cuckoo Filter: Practically Better
 * Than Bloom, 2014), because no library has one that keeps its false positive rate at all rates
 * measured here. Buckets of four fingerprints, 95 % of the places taken at capacity.
 *
 * <p>The other bucket of a fingerprint is a difference rather than an exclusive or. So the number
 * of buckets need not be a power of two, and no memory is lost to rounding.
 */
public final class CuckooTable implements MemoryFilter {

  private static final int PLACES = 4;
  private static final double LOAD = 0.95;

  /** Twice what is needed at that load by experience. */
  private static final int MOST_MOVES = 2_000;

  private final KeyType<String> type = KeyType.text();
  private final KeyHash hash = HashAlgorithm.XXH3_64.create(0);
  private final SplittableRandom random = new SplittableRandom(1);
  private final int fingerprintBits;
  private final long buckets;
  private final long[] words;

  public CuckooTable(long capacity, double falsePositiveRate) {
    fingerprintBits = fingerprintBits(falsePositiveRate);
    buckets = (long) Math.ceil(capacity / (PLACES * LOAD)) + 1;
    // One more, so that a fingerprint may reach into the next word everywhere.
    words = new long[Math.toIntExact(buckets * PLACES * fingerprintBits / Long.SIZE + 2)];
  }

  /** A lookup compares with eight fingerprints, each of which may be like it by chance. */
  static int fingerprintBits(double falsePositiveRate) {
    return (int) Math.ceil(Math.log(2 * PLACES / falsePositiveRate) / Math.log(2));
  }

  @Override
  public boolean add(String key) {
    long of = type.hash(key, hash);
    long fingerprint = fingerprint(of);
    long bucket = bucket(of);
    if (put(bucket, fingerprint) || put(other(bucket, fingerprint), fingerprint)) {
      return true;
    }
    for (int move = 0; move < MOST_MOVES; move++) {
      long at = bucket * PLACES + random.nextInt(PLACES);
      long evicted = get(at);
      set(at, fingerprint);
      fingerprint = evicted;
      bucket = other(bucket, fingerprint);
      if (put(bucket, fingerprint)) {
        return true;
      }
    }
    throw new IllegalStateException("The cuckoo filter is full.");
  }

  @Override
  public boolean mightContain(String key) {
    return find(type.hash(key, hash)) >= 0;
  }

  @Override
  public boolean remove(String key) {
    long at = find(type.hash(key, hash));
    if (at < 0) {
      return false;
    }
    set(at, 0);
    return true;
  }

  private long find(long of) {
    long fingerprint = fingerprint(of);
    long bucket = bucket(of);
    long at = placeOf(fingerprint, bucket);
    return at >= 0 ? at : placeOf(fingerprint, other(bucket, fingerprint));
  }

  /** Finds a fingerprint in a bucket, or a free place if it is 0. */
  private long placeOf(long fingerprint, long bucket) {
    for (long at = bucket * PLACES; at < (bucket + 1) * PLACES; at++) {
      if (get(at) == fingerprint) {
        return at;
      }
    }
    return -1;
  }

  private boolean put(long bucket, long fingerprint) {
    long at = placeOf(0, bucket);
    if (at >= 0) {
      set(at, fingerprint);
    }
    return at >= 0;
  }

  private long bucket(long of) {
    return Math.floorMod(of, buckets);
  }

  /** From bits that are independent of the bucket. 0 stands for a free place. */
  private long fingerprint(long of) {
    return Math.max(1, Keys.scrambled(of) >>> (Long.SIZE - fingerprintBits));
  }

  private long other(long bucket, long fingerprint) {
    return Math.floorMod(Math.floorMod(Keys.scrambled(fingerprint), buckets) - bucket, buckets);
  }

  private long get(long at) {
    long bit = at * fingerprintBits;
    int word = (int) (bit / Long.SIZE);
    int shift = (int) (bit % Long.SIZE);
    long value = words[word] >>> shift;
    if (shift + fingerprintBits > Long.SIZE) {
      value |= words[word + 1] << (Long.SIZE - shift);
    }
    return value & mask();
  }

  private void set(long at, long fingerprint) {
    long bit = at * fingerprintBits;
    int word = (int) (bit / Long.SIZE);
    int shift = (int) (bit % Long.SIZE);
    words[word] = (words[word] & ~(mask() << shift)) | (fingerprint << shift);
    if (shift + fingerprintBits > Long.SIZE) {
      int left = Long.SIZE - shift;
      words[word + 1] = (words[word + 1] & ~(mask() >>> left)) | (fingerprint >>> left);
    }
  }

  private long mask() {
    return (1L << fingerprintBits) - 1;
  }
}
