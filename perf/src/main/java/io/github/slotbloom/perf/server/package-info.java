/** The servers for the measurements. */
package io.github.slotbloom.perf.server;
