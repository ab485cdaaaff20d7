/** Rounds, ratios and checks. */
package io.github.slotbloom.perf.measure;
