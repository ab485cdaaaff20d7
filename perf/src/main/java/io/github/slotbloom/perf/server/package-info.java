/** The servers that are measured on. */
package io.github.slotbloom.perf.server;
