/** JMH benchmarks of what needs no database while it is measured. */
package io.github.slotbloom.perf.memory;
