/** Tells where the time of an adding process goes. */
package io.github.slotbloom.perf.profile;
