package io.github.slotbloom.perf.measure;

/**
 * The result that a contestant should reach.
 *
 * @param ours the series that should reach it
 * @param against the series to compare with
 * @param timesAsGood the value that the median of the ratios should reach
 * @param words the goal as it was set, such as "at most 1.2 times its time"
 */
public record Goal(String ours, String against, double timesAsGood, String words) {}
