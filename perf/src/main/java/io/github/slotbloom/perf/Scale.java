package io.github.slotbloom.perf;

import java.time.Duration;
import java.util.List;

/**
 * The amount of measurement.
 *
 * @param rounds the rounds of each contest that count
 * @param warmUps the rounds before them
 * @param trial the length of a trial that is bounded by time
 * @param waiting the length of a trial in which callers wait for seconds
 * @param keysPerTrial the most keys that a trial of batches adds
 * @param textbookKeysPerTrial the same limit for one key at a time
 * @param mirrorKeys the keys in the filter that is loaded, half of its capacity
 * @param memoryKeys the keys in the filters that are asked in memory
 * @param memoryRounds the forks of each JMH benchmark
 * @param memoryIterations the iterations of each fork, and their length
 * @param foldCapacity the capacity in keys of the filter that is folded into
 * @param foldBacklog the keys that wait to be folded
 * @param storageKeys the keys whose bytes are counted
 * @param dedupLines the lines of the file, half of them duplicates
 * @param memoryOfKeys the capacity in keys of the filter whose mirror size is measured
 * @param sustainedKeys the capacity in keys of the filter for the sustained case
 * @param sizes the points of the curves over the number of keys
 * @param threads the points of the curves over the number of threads
 * @param curvePoint the time to measure a point of a curve
 * @param falsePositiveRateKeys the keys in the filters whose false positive rate is measured
 * @param absentKeys the absent keys that those filters are asked for
 * @param removalKeys the keys in the filters whose other keys suffer from false removals
 * @param falseRemovals the keys that were never added and are removed
 * @param removalTableKeys the keys of removable filters whose bytes are counted
 * @param removalMemoryKeys the capacity in keys of the removable filters whose size is measured
 * @param windowKeysADay the keys that come up in a day, half of them for the first time
 * @param windowKeys the keys in the windows that are asked in memory
 * @param rotations the buckets of a window whose begin is looked at
 * @param bucketSeconds the length of those buckets
 * @param sights how often another instance looks for an added key
 * @param pacedCalls the calls of a trial that come now and then
 */
public record Scale(
    String name,
    int rounds,
    int warmUps,
    Duration trial,
    Duration waiting,
    int keysPerTrial,
    int textbookKeysPerTrial,
    long mirrorKeys,
    List<Long> memoryKeys,
    int memoryRounds,
    int memoryIterations,
    Duration memoryIteration,
    long foldCapacity,
    int foldBacklog,
    int storageKeys,
    int dedupLines,
    long memoryOfKeys,
    long sustainedKeys,
    List<Long> sizes,
    List<Integer> threads,
    Duration curvePoint,
    int falsePositiveRateKeys,
    int absentKeys,
    int removalKeys,
    int falseRemovals,
    int removalTableKeys,
    int removalMemoryKeys,
    int windowKeysADay,
    List<Long> windowKeys,
    int rotations,
    int bucketSeconds,
    int sights,
    int pacedCalls) {

  public static final Scale FULL =
      new Scale(
          "full",
          5,
          2,
          Duration.ofSeconds(4),
          Duration.ofSeconds(12),
          1_000_000,
          5_000,
          50_000_000,
          List.of(1_000_000L, 100_000_000L),
          3,
          5,
          Duration.ofSeconds(1),
          10_000_000,
          200_000,
          5_000_000,
          5_000_000,
          100_000_000,
          100_000_000,
          List.of(100_000L, 1_000_000L, 10_000_000L, 100_000_000L),
          List.of(1, 2, 4, 8, 16, 32, 64, 128, 256),
          Duration.ofSeconds(3),
          1_000_000,
          1_000_000,
          1_000_000,
          1_000_000,
          5_000_000,
          8_000_000,
          1_000_000,
          List.of(1_000_000L, 20_000_000L),
          15,
          12,
          300,
          60);

  public static final Scale QUICK =
      new Scale(
          "quick",
          3,
          1,
          Duration.ofMillis(500),
          Duration.ofMillis(1000),
          300_000,
          500,
          500_000,
          List.of(1_000_000L),
          3,
          3,
          Duration.ofMillis(250),
          500_000,
          25_000,
          200_000,
          200_000,
          20_000_000,
          5_000_000,
          List.of(100_000L),
          List.of(8),
          Duration.ofMillis(300),
          50_000,
          200_000,
          20_000,
          20_000,
          100_000,
          500_000,
          20_000,
          List.of(1_000_000L),
          3,
          4,
          12,
          12);

  /**
   * The length of a trial of large batches from several threads or by a protocol. Folding what it
   * adds takes ten times as long.
   */
  public static final Duration TRIAL_OF_BATCHES = Duration.ofSeconds(1);

  /** What nobody adds in such a trial. */
  private static final long MOST_IN_A_TRIAL_OF_BATCHES = 3_000_000;

  public boolean isQuick() {
    return equals(QUICK);
  }

  /** Returns the most keys that all trials of one contestant may add. */
  public long keysPerContest() {
    return (long) keysPerTrial * (rounds + warmUps);
  }

  /** Returns the same of trials that are bounded by time, at a rate that none exceeds. */
  public long keysPerContest(long mostASecond) {
    return mostASecond * (trial.toSeconds() + 1) * (rounds + warmUps);
  }

  /** Returns the same of trials of {@link #TRIAL_OF_BATCHES}. */
  public long keysPerContestOfBatches() {
    return MOST_IN_A_TRIAL_OF_BATCHES * (rounds + warmUps);
  }
}
