/** Sets of seen keys: ours, and what else there is. */
package io.github.slotbloom.perf.peer;
