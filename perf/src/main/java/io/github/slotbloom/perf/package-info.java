/** Measures the filter beside its alternatives. */
package io.github.slotbloom.perf;
