package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Whatever durations and sizes are given, they are taken as documented or named in an error. */
class FilterOptionsTest {

  @Property
  void aTimeoutOutsideItsRangeIsRefused(@ForAll("durations") Duration timeout) {
    if (timeout.compareTo(Duration.ofMillis(1)) >= 0
        && timeout.compareTo(Duration.ofMinutes(10)) <= 0) {
      assertThat(FilterOptions.defaults().timeout(timeout).timeout()).isEqualTo(timeout);
    } else {
      assertRefused(
          () -> FilterOptions.defaults().timeout(timeout),
          "between 1 ms and 10 minutes",
          "is " + timeout);
    }
  }

  @Property
  void aNegativeFreshnessIsRefused(@ForAll("durations") Duration bound) {
    if (bound.isNegative()) {
      assertRefused(() -> Freshness.bounded(bound), "must not be negative", "is " + bound);
    } else {
      assertThat(Freshness.bounded(bound).bound()).isEqualTo(bound);
    }
  }

  @Property
  void aQueueTooSmallForATransactionIsRefused(@ForAll int capacity) {
    if (capacity >= BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      assertThat(FilterOptions.defaults().queueCapacity(capacity).queueCapacity())
          .isEqualTo(capacity);
    } else {
      assertRefused(
          () -> FilterOptions.defaults().queueCapacity(capacity),
          "at least one transaction of 32768 keys",
          "is " + capacity + ".");
    }
  }

  @Property
  void aShareOfTheCapacityOutsideItsRangeIsRefused(@ForAll double share) {
    if (share > 0 && share <= 1) {
      assertThat(FilterOptions.defaults().warnAt(share).warnAt()).isEqualTo(share);
    } else {
      assertRefused(
          () -> FilterOptions.defaults().warnAt(share), "above 0 and at most 1", "is " + share);
    }
  }

  private static void assertRefused(ThrowingCallable call, String range, String given) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(range)
        .hasMessageContaining(given);
  }

  @Provide
  Arbitrary<Duration> durations() {
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Duration::ofNanos),
        Arbitraries.longs().map(Duration::ofSeconds),
        Arbitraries.longs().between(-2, 600_002).map(Duration::ofMillis),
        Arbitraries.of(
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofMinutes(10).plusNanos(1),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofSeconds(Long.MIN_VALUE)));
  }
}
