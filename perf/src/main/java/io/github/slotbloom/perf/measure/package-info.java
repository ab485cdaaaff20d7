/** Runs rounds, compares figures and checks answers. */
package io.github.slotbloom.perf.measure;
