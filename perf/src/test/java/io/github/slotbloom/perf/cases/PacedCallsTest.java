package io.github.slotbloom.perf.cases;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.perf.cases.PacedCalls.Side;
import io.github.slotbloom.perf.measure.Checks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacedCallsTest {

  private static final int CALLS = 3;

  private final List<Long> begun = new ArrayList<>();
  private final List<String> afterwards = new ArrayList<>();
  private final Checks checks = new Checks();

  @Test
  void callsAreAsFarApartAsItSays() throws Exception {
    calls(0).trial(PacedCalls.WARM_UPS);

    assertThat(begun).hasSize(CALLS);
    for (int i = 1; i < CALLS; i++) {
      assertThat(begun.get(i) - begun.get(i - 1))
          .isGreaterThanOrEqualTo(PacedCalls.APART.toNanos());
    }
  }

  @Test
  void theNextTrialContinuesWhereTheLastOneEnded() throws Exception {
    PacedCalls calls = calls(0);
    calls.trial(PacedCalls.WARM_UPS);
    calls.trial(PacedCalls.WARM_UPS + 1);

    assertThat(afterwards).containsExactly("0 3", "3 3");
  }

  @Test
  void warmUpsAreNoFigures() throws Exception {
    PacedCalls calls = calls(0);

    assertThat(calls.trial(0)).isZero();
    assertThat(calls.trial(PacedCalls.WARM_UPS)).isPositive();
    assertThat(calls.row("call")).hasSize(5).startsWith("call", "side");
  }

  @Test
  void wrongOutcomesAreFoundOut() throws Exception {
    PacedCalls right = calls(1);
    right.trial(PacedCalls.WARM_UPS);
    right.check(checks);
    assertThat(checks.failures()).isEmpty();

    PacedCalls wrong = calls(0);
    wrong.trial(PacedCalls.WARM_UPS);
    wrong.check(checks);
    assertThat(checks.failures()).containsExactly("side: of 3 calls 2 had the right outcome");
  }

  /** The first call has the wrong outcome. */
  private PacedCalls calls(double falsePositiveRate) {
    return new PacedCalls(
        new Side(
            "side",
            "durable",
            falsePositiveRate,
            number -> {
              begun.add(System.nanoTime());
              return number > 0;
            },
            (first, count) -> afterwards.add(first + " " + count)),
        CALLS,
        2);
  }
}
