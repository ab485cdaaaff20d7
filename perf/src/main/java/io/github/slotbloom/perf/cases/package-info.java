/** The cases that are measured. */
package io.github.slotbloom.perf.cases;
