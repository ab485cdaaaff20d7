package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.testing.ExpectedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several listeners of one application. */
class SafeListenerTest {

  private final List<String> heard = new ArrayList<>();

  @Test
  @ExpectedLog("a SlotBloomListener threw")
  void eachListenerHearsThoughOneThrows() {
    SlotBloomListener throwing =
        event -> {
          throw new IllegalStateException("thrown by the listener of a test, on purpose");
        };
    new SafeListener(
            List.of(
                event -> heard.add("first: " + event.message()),
                throwing,
                event -> heard.add("last: " + event.message())))
        .on(new SlotBloomEvent.Added("words", 3, 2, Duration.ofMillis(1)));
    assertThat(heard)
        .containsExactly(
            "first: Added 3 keys to filter words, 2 of them new, in 1 ms.",
            "last: Added 3 keys to filter words, 2 of them new, in 1 ms.");
  }
}
