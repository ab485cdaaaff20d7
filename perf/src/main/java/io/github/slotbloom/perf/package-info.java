/** Compares the filter with its alternatives. */
package io.github.slotbloom.perf;
