package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContestTest {

  private final List<String> turns = new ArrayList<>();

  @Test
  void contestantsTakeTurnsAndTheFirstOneChanges() throws Exception {
    contest().run(1, 2);

    assertThat(turns).containsExactly("ours 0", "peer 0", "peer 1", "ours 1", "ours 2", "peer 2");
  }

  @Test
  void warmUpRoundsDoNotCount() throws Exception {
    Comparison comparison = contest().run(1, 2);

    assertThat(comparison.ours().values()).containsExactly(1, 2);
    assertThat(comparison.series().get(1).values()).containsExactly(101, 102);
  }

  @Test
  void aTrialMayReturnTwoFigures() throws Exception {
    Comparison comparison =
        new Contest("title", "unit", Better.HIGHER)
            .enter("Slotbloom", "and folded", "durable", round -> new Trial.Two(round, -round))
            .run(1, 2);

    assertThat(comparison.series())
        .extracting(Series::name)
        .containsExactly("Slotbloom", "and folded");
    assertThat(comparison.series().get(1).values()).containsExactly(-1, -2);
  }

  private Contest contest() {
    return new Contest("title", "unit", Better.HIGHER)
        .enter("ours", "durable", round -> turn("ours", round))
        .enter("peer", "durable", round -> 100 + turn("peer", round));
  }

  private double turn(String name, int round) {
    turns.add(name + " " + round);
    return round;
  }
}
