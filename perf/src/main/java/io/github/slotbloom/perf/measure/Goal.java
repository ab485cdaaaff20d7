package io.github.slotbloom.perf.measure;

/**
 * How we have to compare.
 *
 * @param ours the series that has to reach it
 * @param against a series
 * @param timesAsGood what the median of the ratios has to reach
 * @param words the goal as it was set, such as "at most 1.2 times its time"
 */
public record Goal(String ours, String against, double timesAsGood, String words) {}
