/**
 * Metrics of open filters for Micrometer: {@link io.github.slotbloom.micrometer.SlotBloomMetrics}.
 */
@NullMarked
package io.github.slotbloom.micrometer;

import org.jspecify.annotations.NullMarked;
