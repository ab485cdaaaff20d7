package io.github.slotbloom.micrometer;

import io.github.slotbloom.report.CurrentErrorRate;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Computes an error rate again when it is a minute old. It is computed from all bits of a filter,
 * which takes too long for each scrape. Thread-safe.
 */
final class RecentErrorRate {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Supplier<CurrentErrorRate> compute;
  private final LongSupplier nanoTime;
  private @Nullable CurrentErrorRate last;
  private long computedAt;

  RecentErrorRate(Supplier<CurrentErrorRate> compute, LongSupplier nanoTime) {
    this.compute = compute;
    this.nanoTime = nanoTime;
  }

  synchronized CurrentErrorRate now() {
    CurrentErrorRate rate = last;
    long now = nanoTime.getAsLong();
    if (rate == null || now - computedAt >= LONGEST_NANOS) {
      rate = compute.get();
      last = rate;
      computedAt = now;
    }
    return rate;
  }
}
