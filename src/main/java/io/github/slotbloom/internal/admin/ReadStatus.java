package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Window;
import java.time.Instant;
import java.util.Optional;

/** The counts of a filter as they were read. */
public record ReadStatus(
    long id,
    String name,
    String keyType,
    boolean growable,
    boolean removable,
    Optional<Window> window,
    OnFull onFull,
    long capacity,
    double falsePositiveRate,
    int generationCount,
    long bits,
    long keysAdded,
    long keysRemoved,
    long keys,
    double used,
    boolean expired,
    Instant createdAt,
    Optional<Instant> expiresAt)
    implements FilterStatus {}
