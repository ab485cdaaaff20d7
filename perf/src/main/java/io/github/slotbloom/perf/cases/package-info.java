/** What is measured. */
package io.github.slotbloom.perf.cases;
