/**
 * Filters in Apache Spark: built from a Dataset, asked in queries, and used to keep the rows whose
 * keys are new. {@link io.github.slotbloom.spark.SparkFilters} is where to begin.
 *
 * <p>This module reads and writes exports by internal classes of the library, so both must be of
 * the same version.
 */
@NullMarked
package io.github.slotbloom.spark;

import org.jspecify.annotations.NullMarked;
