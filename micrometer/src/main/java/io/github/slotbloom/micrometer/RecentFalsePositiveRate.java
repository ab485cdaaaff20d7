package io.github.slotbloom.micrometer;

import io.github.slotbloom.report.CurrentFalsePositiveRate;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Computes a false positive rate again when it is a minute old. It is computed from all bits of a
 * filter, which takes too long for each scrape. Thread-safe.
 */
final class RecentFalsePositiveRate {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Supplier<CurrentFalsePositiveRate> compute;
  private final LongSupplier nanoTime;
  private @Nullable CurrentFalsePositiveRate last;
  private long computedAt;

  RecentFalsePositiveRate(Supplier<CurrentFalsePositiveRate> compute, LongSupplier nanoTime) {
    this.compute = compute;
    this.nanoTime = nanoTime;
  }

  synchronized CurrentFalsePositiveRate now() {
    CurrentFalsePositiveRate rate = last;
    long now = nanoTime.getAsLong();
    if (rate == null || now - computedAt >= LONGEST_NANOS) {
      rate = compute.get();
      last = rate;
      computedAt = now;
    }
    return rate;
  }
}
