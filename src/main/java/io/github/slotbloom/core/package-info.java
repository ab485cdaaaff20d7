/**
 * The arithmetic of a Bloom filter: sizing, hashing, positions and estimates. This package does not
 * use a database.
 *
 * @since 0.1.0
 */
@NullMarked
package io.github.slotbloom.core;

import org.jspecify.annotations.NullMarked;
