package io.github.slotbloom;

import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import java.time.Instant;
import java.util.Optional;

/**
 * The parameters and counts of one filter, read from the catalog at one moment. No slot is counted,
 * so this takes a query or two for a filter of any size. {@link FilterInfo} has what the bits tell.
 * Immutable.
 *
 * @param id number of the filter, never used twice in a database
 * @param name its name
 * @param keyType id of its key type: {@code text}, {@code bytes}, {@code long} or {@code
 *     custom:...}
 * @param removable true if keys can be removed
 * @param window how long keys are found; empty if they never expire
 * @param whenFull the treatment of new keys beyond the capacity
 * @param capacity total number of keys that the generations were made for; of a window as in {@link
 *     FilterInfo#capacity}
 * @param falsePositiveRate target error rate of the whole filter at capacity
 * @param bits total size of the bit arrays, m
 * @param generations number of bit arrays, at least 1
 * @param keysAdded as {@link FilterInfo#keysAdded}
 * @param keysRemoved as {@link FilterInfo#keysRemoved}
 * @param createdAt when the filter was reserved
 * @param expiresAt when it expires, by the clock of the database; empty if it never does
 */
public record FilterStatus(
    long id,
    String name,
    String keyType,
    boolean removable,
    Optional<Window> window,
    WhenFull whenFull,
    long capacity,
    double falsePositiveRate,
    long bits,
    int generations,
    long keysAdded,
    long keysRemoved,
    Instant createdAt,
    Optional<Instant> expiresAt) {}
