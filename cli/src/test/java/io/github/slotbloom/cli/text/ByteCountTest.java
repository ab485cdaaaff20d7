package io.github.slotbloom.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteCountTest {

  @ParameterizedTest
  @CsvSource({
    "0,0 B",
    "1023,1023 B",
    "1024,1.0 KiB",
    "1536,1.5 KiB",
    "1048575,1.0 MiB",
    "2469606195,2.3 GiB",
    "9223372036854775807,8192.0 PiB"
  })
  void usesTheUnitThatFits(long bytes, String text) {
    assertThat(ByteCount.of(bytes)).isEqualTo(text);
  }
}
