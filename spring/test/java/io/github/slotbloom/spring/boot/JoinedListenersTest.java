package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.testing.ExpectedLog;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event reaches all listeners. */
class JoinedListenersTest {

  static Stream<Method> events() {
    return Stream.of(SlotBloomListener.class.getMethods());
  }

  @ParameterizedTest
  @MethodSource("events")
  void eachEventIsPassedOn(Method event) throws ReflectiveOperationException {
    assertThat(
            JoinedListeners.class
                .getDeclaredMethod(event.getName(), event.getParameterTypes())
                .getDeclaringClass())
        .isEqualTo(JoinedListeners.class);
  }

  @Test
  @ExpectedLog(value = "^WARN JoinedListeners - listener .* failed", times = 1)
  void aListenerThatThrowsDoesNotKeepOthersFromTheEvent() {
    List<String> told = new ArrayList<>();
    SlotBloomListener broken =
        new SlotBloomListener() {
          @Override
          public void lagging(String filter, Duration age) {
            throw new IllegalStateException("broken");
          }
        };
    SlotBloomListener other =
        new SlotBloomListener() {
          @Override
          public void lagging(String filter, Duration age) {
            told.add(filter);
          }
        };
    new JoinedListeners(List.of(broken, other)).lagging("payments", Duration.ofSeconds(5));
    assertThat(told).containsExactly("payments");
  }
}
