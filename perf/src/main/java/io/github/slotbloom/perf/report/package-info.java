/** Reports the results as JSON, tables and plots. */
package io.github.slotbloom.perf.report;
