package io.github.slotbloom.perf;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param rounds of each contest that count
 * @param warmUps rounds before them
 * @param trial how long a trial takes that is bounded by time
 * @param keysPerTrial the most keys that a trial of batches adds
 * @param textbookKeysPerTrial the same for one key at a time
 * @param mirrorKeys keys that the filter holds which is loaded, half of what it is made for
 * @param memoryKeys keys in the filters that are asked in memory
 * @param memoryRounds forks of each JMH benchmark
 * @param memoryIterations of each fork, and their length
 * @param foldCapacity keys that the filter is made for which is folded into
 * @param foldBacklog keys that wait to be folded
 * @param storageKeys keys whose bytes are counted
 * @param dedupLines lines of the file, half of them duplicates
 * @param memoryOfKeys keys that the filter is made for whose mirror is weighed
 * @param sustainedKeys keys that the filter is made for which is added to for long
 * @param sizes for the curves over the number of keys
 * @param threads for the curves over the number of threads
 * @param curvePoint how long a point of a curve is measured
 * @param errorRateKeys keys in the filters whose error rate is measured
 * @param absentKeys that are asked for there
 * @param sights how often an add is looked for by another instance
 */
public record Scale(
    String name,
    int rounds,
    int warmUps,
    Duration trial,
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
    int errorRateKeys,
    int absentKeys,
    int sights) {

  public static final Scale FULL =
      new Scale(
          "full",
          5,
          2,
          Duration.ofSeconds(4),
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
          300);

  public static final Scale QUICK =
      new Scale(
          "quick",
          3,
          1,
          Duration.ofMillis(700),
          50_000,
          500,
          500_000,
          List.of(1_000_000L),
          2,
          3,
          Duration.ofMillis(400),
          500_000,
          25_000,
          500_000,
          200_000,
          20_000_000,
          5_000_000,
          List.of(100_000L, 1_000_000L),
          List.of(1, 8, 64),
          Duration.ofMillis(400),
          100_000,
          200_000,
          25);

  /** All keys that the trials of one contestant may add. */
  public long keysPerContest() {
    return (long) keysPerTrial * (rounds + warmUps);
  }
}
