package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFormatTest {

  private final KeyFormat.Converter byName = new KeyFormat.Converter();

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "42", "9223372036854775807", "-9223372036854775808"})
  void longsAreDecimal(String written) throws Exception {
    assertThat(byName.convert("long").parse(written.getBytes(ISO_8859_1)))
        .isEqualTo(Long.valueOf(written));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " 1", "1 ", "0x1", "1.0", "9223372036854775808", "abc"})
  void textThatIsNoLongIsRefused(String written) {
    assertThatThrownBy(() -> byName.convert("long").parse(written.getBytes(ISO_8859_1)))
        .isInstanceOf(BadKeyException.class)
        .hasMessageContaining("'" + written + "' is not a whole number");
  }

  @Test
  void anErrorNamesACarriageReturnAsTheCause() {
    assertThatThrownBy(() -> byName.convert("long").parse("42\r".getBytes(ISO_8859_1)))
        .hasMessageContaining("'42\\r'")
        .hasMessageContaining("CR LF");
  }

  @Test
  void bytesAreHexadecimal() throws Exception {
    assertThat(byName.convert("hex").parse("00fFa0".getBytes(ISO_8859_1)))
        .isEqualTo(new byte[] {0, (byte) 0xff, (byte) 0xa0});
    assertThat(byName.convert("hex").parse(new byte[0])).isEqualTo(new byte[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0g", "00 11", "0x00"})
  void textThatIsNotHexadecimalIsRefused(String written) {
    assertThatThrownBy(() -> byName.convert("hex").parse(written.getBytes(ISO_8859_1)))
        .isInstanceOf(BadKeyException.class)
        .hasMessageContaining(written);
  }

  @Test
  void textIsAnyBytesUpToTheLongestKey() throws Exception {
    byte[] longest = new byte[KeyType.MAX_KEY_BYTES];

    assertThat(KeyFormat.TEXT.parse(longest)).isSameAs(longest);
    assertThatThrownBy(() -> KeyFormat.TEXT.parse(new byte[KeyType.MAX_KEY_BYTES + 1]))
        .isInstanceOf(BadKeyException.class);
  }

  @Test
  void aStoredKeyTypeIsFoundAsAnOption() {
    assertThat(KeyFormat.remedyFor("long")).contains("--key-type long");
    assertThat(KeyFormat.remedyFor("bytes")).contains("--key-type hex");
    assertThat(KeyFormat.remedyFor("custom:order.v1")).doesNotContain("--key-type");
  }
}
