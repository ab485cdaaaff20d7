/** JMH benchmarks of operations that need no database while they are measured. */
package io.github.slotbloom.perf.memory;
