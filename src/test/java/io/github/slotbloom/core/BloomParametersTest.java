package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.InvalidParameterException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BloomParametersTest {

  @ParameterizedTest
  @CsvSource({"64, 1, 8", "65, 2, 16", "128, 2, 16", "4398046511104, 68719476736, 549755813888"})
  void bitsAreRoundedUpToWholeSlots(long bits, long slots, long bytes) {
    BloomParameters parameters = new BloomParameters(Layout.STANDARD, bits, 7);

    assertThat(parameters.slots()).isEqualTo(slots);
    assertThat(parameters.bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 63, 7, bits is 63; use a number from 64 to 4398046511104",
    "STANDARD, 4398046511105, 7, bits is 4398046511105; use a number from 64 to 4398046511104",
    "STANDARD, -64, 7, bits is -64;",
    "STANDARD, 1000, 0, hashes is 0; use a number from 1 to 64",
    "STANDARD, 1000, 65, hashes is 65;",
    "BLOCKED, 1000, 7, bits is 1000; the BLOCKED layout needs whole blocks",
    "BLOCKED, 64, 7, multiple of 512"
  })
  void parametersOutsideTheirRangeAreRefused(Layout layout, long bits, int hashes, String message) {
    assertThatThrownBy(() -> new BloomParameters(layout, bits, hashes))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aMissingLayoutIsRefused() {
    assertThatThrownBy(() -> new BloomParameters(null, 64, 1))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("layout");
  }
}
