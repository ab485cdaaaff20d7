package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.FilterName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LagWatchTest {

  private final List<String> told = new ArrayList<>();
  private final LagWatch watch =
      new LagWatch(
          new FilterName("words"),
          Duration.ofSeconds(2),
          event -> {
            if (event instanceof SlotBloomEvent.Lagging lagging) {
              told.add(lagging.filter() + " " + lagging.age().toMillis());
            }
          });

  private void check(long ageMillis) {
    watch.check(Duration.ofMillis(ageMillis));
  }

  @Test
  void aLagOfTwiceTheLeaseIsNotTold() {
    check(0);
    check(4000);
    assertThat(told).isEmpty();
  }

  @Test
  void aLagIsToldOnceUntilTheDatabaseAnswers() {
    check(4001);
    check(5000);
    check(60_000);
    assertThat(told).containsExactly("words 4001");
    check(10);
    check(4500);
    check(4600);
    assertThat(told).containsExactly("words 4001", "words 4500");
  }
}
