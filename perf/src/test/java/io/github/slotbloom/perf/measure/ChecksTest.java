package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChecksTest {

  private final Checks checks = new Checks();

  @Test
  void falsePositivesWithinTheFalsePositiveRateAreRight() {
    checks.newKeys("filter", 100_000, 99_000, 0.01);
    checks.absent("filter", 100_000, 1_000, 0.01);
    checks.absent("filter", 100_000, 0, 0.01);

    assertThat(checks.failures()).isEmpty();
    assertThat(checks.made()).isEqualTo(3);
  }

  @Test
  void falsePositivesBeyondTheFalsePositiveRateAreWrong() {
    checks.newKeys("filter", 100_000, 98_000, 0.01);
    checks.absent("filter", 100_000, 2_000, 0.01);

    assertThat(checks.failures()).hasSize(2);
  }

  @Test
  void moreNewKeysThanWereAskedForAreWrong() {
    checks.newKeys("filter", 10, 11, 0.01);

    assertThat(checks.failures()).containsExactly("filter: of 10 new keys 11 were answered as new");
  }

  @Test
  void aSingleAddedKeyThatIsNotFoundIsWrong() {
    checks.found("filter", 100_000, 99_999);

    assertThat(checks.failures()).hasSize(1);
  }

  @Test
  void missingBytesAreWrong() {
    checks.stored("floor", "rows", 10, 10);
    checks.stored("floor", "bytes", 80_000, 72_000);

    assertThat(checks.failures())
        .containsExactly("floor: of 80,000 bytes that were sent 72,000 are stored");
  }

  @Test
  void anExactPeerMayMakeNoErrors() {
    assertThat(Checks.most(1_000_000, 0)).isZero();
  }

  @Test
  void sixDeviationsAreAllowed() {
    // 10,000 of a million, with a deviation of 99.5.
    assertThat(Checks.most(1_000_000, 0.01)).isBetween(10_590L, 10_610L);
  }
}
