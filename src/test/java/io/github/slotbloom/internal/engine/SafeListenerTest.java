package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.testing.ExpectedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several listeners of one application. */
class SafeListenerTest {

  private final List<String> heard = new ArrayList<>();

  private SlotBloomListener hearing(String name) {
    return new SlotBloomListener() {
      @Override
      public void added(String filter, int keys, int newKeys, Duration took) {
        heard.add(name + " hears of " + newKeys + " of " + keys + " keys in " + filter);
      }
    };
  }

  @Test
  @ExpectedLog("a SlotBloomListener threw")
  void eachListenerHearsThoughOneThrows() {
    SlotBloomListener throwing =
        new SlotBloomListener() {
          @Override
          public void added(String filter, int keys, int newKeys, Duration took) {
            throw new IllegalStateException("thrown by the listener of a test, on purpose");
          }
        };
    new SafeListener(List.of(hearing("the first"), throwing, hearing("the last")))
        .added("words", 3, 2, Duration.ofMillis(1));
    assertThat(heard)
        .containsExactly(
            "the first hears of 2 of 3 keys in words", "the last hears of 2 of 3 keys in words");
  }
}
