/**
 * The arithmetic of a Bloom filter: sizing, hashing, positions and estimates. This package does not
 * use a database.
 */
@NullMarked
package io.github.slotbloom.core;

import org.jspecify.annotations.NullMarked;
