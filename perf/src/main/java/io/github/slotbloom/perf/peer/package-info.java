/** The sets of seen keys: ours and the alternatives. */
package io.github.slotbloom.perf.peer;
