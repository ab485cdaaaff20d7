package io.github.slotbloom.report;

/**
 * What became of the keys that were looked up through a guard, stage by stage. Each key of a call
 * that returned counts in one of {@link #keptAway}, {@link #cacheHits}, {@link #nullCacheHits},
 * {@link #shared} and {@link #lookups}. A key that is twice in one call counts once. The counts are
 * read one after the other while calls go on, so they may not match exactly.
 *
 * @param asked keys that were looked up
 * @param keptAway keys that the filter knew were not there
 * @param cacheHits keys whose values were in the cache
 * @param nullCacheHits keys that the null cache knew were not there
 * @param shared keys that another call was looking up already, so that this one took its result
 * @param lookups keys that were passed to the lookup
 * @param found those of the {@code lookups} that were found
 * @param falsePositives those of the {@code lookups} that were not found, though the filter took
 *     them for members
 */
public record LookupStatistics(
    long asked,
    long keptAway,
    long cacheHits,
    long nullCacheHits,
    long shared,
    long lookups,
    long found,
    long falsePositives) {}
