/**
 * The public API: Bloom filters that live in MySQL and are shared by many processes.
 *
 * <p>{@link io.github.slotbloom.SlotBloom} connects to a {@code DataSource} and opens {@link
 * io.github.slotbloom.BloomFilter}s. The parameters of a filter (layout, key type, hash) are in
 * {@code core}, the exceptions in {@code error}, and the results of verification and inspection in
 * {@code report}. The other packages are internal and may change in any release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.slotbloom;

import org.jspecify.annotations.NullMarked;
