package io.github.slotbloom.perf;

/**
 * One case.
 *
 * @param id the name for {@code --only}
 */
public record PerfCase(String id, String title, Measurement measurement) {}
