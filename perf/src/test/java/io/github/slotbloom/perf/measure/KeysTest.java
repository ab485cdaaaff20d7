package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysTest {

  @Test
  void differentNumbersAreDifferentKeys() {
    Set<String> keys = new HashSet<>(Keys.texts(0, 50_000));
    keys.addAll(Keys.texts(Keys.ABSENT, 50_000));

    assertThat(keys).hasSize(100_000);
  }

  @Test
  void aKeyIsAScrambledNumber() {
    assertThat(Keys.text(7)).isEqualTo("key-%016x".formatted(Keys.scrambled(7)));
  }
}
