package io.github.slotbloom.reliability;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a journal says of the buckets of a window, and of the keys in them since the last clear. The
 * journal must be whole. Immutable.
 */
final class JournaledBuckets {

  /** The bucket of a generation that began with none of the entries. */
  private static final long UNKNOWN = Long.MIN_VALUE;

  /**
   * A key in a bucket.
   *
   * @param generation the number of the generation that took it
   * @param bucket the bucket that it was added in
   */
  private record Taken(long seq, int generation, long bucket) {}

  private final int window;
  private final Map<Integer, Long> buckets = new HashMap<>();
  private final Map<Long, List<Taken>> taken = new HashMap<>();
  private final Map<Long, Integer> adds = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private int rotations;
  private int wentOn;

  /**
   * @param window for how many buckets a key is found
   */
  JournaledBuckets(List<JournalRow> journal, int window) {
    this.window = window;
    int newest = 1;
    long bucket = UNKNOWN;
    buckets.put(newest, bucket);
    for (JournalRow row : journal) {
      ManifestRow manifest = row.manifest().orElse(null);
      if (manifest != null) {
        if (manifest.begins() == row.seq()) {
          taken.clear();
          adds.clear();
        }
        manifest.answering().forEach(each -> buckets.put(each.number(), each.bucket()));
        long before = bucket;
        GenerationRow begins = manifest.newest();
        if (bucket == UNKNOWN && begins.number() != newest) {
          before = buckets.get(newest);
        }
        if (begins.bucket() < before) {
          violations.add("entry " + row.seq() + " begins bucket " + begins.bucket() + " again");
        } else if (begins.bucket() > before) {
          rotations++;
          wentOn += begins.number() == newest ? 1 : 0;
        }
        newest = begins.number();
        bucket = begins.bucket();
      } else if (row.setsBits()) {
        take(row, newest, bucket);
      }
    }
  }

  private void take(JournalRow row, int generation, long bucket) {
    for (long hash : row.hashes()) {
      List<Taken> before = taken.computeIfAbsent(hash, each -> new ArrayList<>());
      boolean isThere =
          before.stream()
              .mapToLong(each -> buckets.get(each.generation))
              .anyMatch(its -> its != UNKNOWN && its + window >= bucket);
      if (row.adds()) {
        adds.merge(hash, 1, Integer::sum);
        if (isThere) {
          violations.add(
              "the hash " + Long.toHexString(hash) + " is new in entry " + row.seq() + ", and was");
        }
      }
      before.add(new Taken(row.seq(), generation, bucket));
    }
  }

  /** How many keys were reported as new after an entry. */
  static long added(List<JournalRow> journal, long after) {
    return journal.stream()
        .filter(row -> row.seq() > after && row.adds())
        .mapToLong(row -> row.hashes().length)
        .sum();
  }

  /** How many keys were renewed after an entry. */
  static long renewed(List<JournalRow> journal, long after) {
    return journal.stream()
        .filter(row -> row.seq() > after && row.renews())
        .mapToLong(row -> row.hashes().length)
        .sum();
  }

  /** How often a key was reported as new. */
  int adds(long hash) {
    return adds.getOrDefault(hash, 0);
  }

  /** The last bucket in which a key may be found; empty if it was never added. */
  OptionalLong lastBucket(long hash) {
    return taken.getOrDefault(hash, List.of()).stream()
        .mapToLong(each -> buckets.get(each.generation))
        .map(bucket -> bucket == UNKNOWN ? firstKnown() : bucket)
        .map(bucket -> bucket + window)
        .max();
  }

  /** The bucket of before the first entry is not later. */
  private long firstKnown() {
    return buckets.values().stream()
        .mapToLong(Long::longValue)
        .filter(bucket -> bucket != UNKNOWN)
        .min()
        .orElse(Long.MAX_VALUE - window);
  }

  int rotations() {
    return rotations;
  }

  /** How often a generation went on since there was no other. */
  int wentOn() {
    return wentOn;
  }

  /** What cannot be, a sentence each. */
  List<String> violations() {
    return violations;
  }
}
