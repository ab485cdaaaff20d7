/**
 * The arithmetic of a Bloom filter: sizing, hashing, positions and estimates. Nothing here knows of
 * a database.
 */
@NullMarked
package io.github.slotbloom.core;

import org.jspecify.annotations.NullMarked;
