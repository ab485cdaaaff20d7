/**
 * The public door: a Bloom filter that lives in MySQL, shared by many processes.
 *
 * <p>{@link io.github.slotbloom.SlotBloom} is made on a {@code DataSource} and hands out {@link
 * io.github.slotbloom.BloomFilter}s. The words that describe a filter (layout, key type, hash) are
 * in {@code core}, what can go wrong is in {@code error}, what an application can listen to is in
 * {@code event}; the other packages are internal and may change in any release.
 */
@NullMarked
package io.github.slotbloom;

import org.jspecify.annotations.NullMarked;
