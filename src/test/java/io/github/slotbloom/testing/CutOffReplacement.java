package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.util.List;
import java.util.stream.Stream;

/** Begins a replacement and stops it with a failure of its source. */
public final class CutOffReplacement {

  private CutOffReplacement() {}

  /**
   * Begins a replacement that fails.
   *
   * @param source the name of the source
   * @param keys all keys that the source delivers before it fails
   */
  public static <K> void begin(
      SlotBloom bloom,
      String filter,
      long capacity,
      String source,
      KeyType<K> keyType,
      List<K> keys) {
    KeySource failing =
        KeySource.of(
            source,
            keyType,
            () -> Stream.concat(keys.stream(), Stream.generate(CutOffReplacement::unplugged)));
    assertThatThrownBy(
            () -> bloom.admin(filter).replace(capacity, failing, ReplaceOptions.defaults()))
        .hasMessageContaining("unplugged");
  }

  private static <K> K unplugged() {
    throw new IllegalStateException("unplugged");
  }
}
