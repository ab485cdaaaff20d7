package io.github.slotbloom.internal.verify;

import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Keys that somebody says are in a filter.
 *
 * @param description where they come from
 * @param hashes theirs, each time anew; to be closed
 */
public record GivenKeys(String description, Supplier<LongStream> hashes) {}
