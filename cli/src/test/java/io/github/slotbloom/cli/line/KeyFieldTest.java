package io.github.slotbloom.cli.line;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.cli.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyFieldTest {

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      delimiter = '|',
      value = {
        "a b c|1|a",
        "a b c|2|b",
        "a b c|3|c",
        "  a  b|1|a",
        "\ta \t b|2|b",
        "a b  |2|b",
        "a\rb c\r|2|c\r",
        "münchen 北京|2|北京",
      })
  void fieldsAreSplitAsAwkDoes(String line, int number, String key) {
    assertThat(new KeyField(number, null).of(line.getBytes(UTF_8))).isEqualTo(key.getBytes(UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      delimiter = '|',
      value = {"a b|3", "a b  |3", "''|1", "   |1"})
  void aLineWithTooFewFieldsHasNoKey(String line, int number) {
    assertThat(new KeyField(number, null).of(line.getBytes(UTF_8))).isNull();
  }

  @Test
  void theWholeLineIsTheKeyIfNoFieldIsNamed() {
    byte[] line = " a b ".getBytes(UTF_8);

    assertThat(KeyField.WHOLE_LINE.of(line)).isEqualTo(line);
    assertThat(KeyField.WHOLE_LINE.of(new byte[0])).isEmpty();
  }

  @Test
  void fieldsAreCountedFromOne() {
    assertThatThrownBy(() -> new KeyField(0, null))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--key-field")
        .hasMessageContaining("0");
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      delimiter = '|',
      value = {
        "a,b,c|,|1|a",
        "a,b,c|,|3|c",
        " a , b|,|2| b",
        "a,,c|,|3|c",
        "a::b:c|::|2|b:c",
        "aaab|aa|2|ab",
        "a\tb c|\\t|2|b c",
        "a\\b|\\|2|b",
        "a\0b|\\0|2|b",
        "北京→münchen|→|2|münchen",
      })
  void fieldsAreSplitAtEachDelimiter(String line, String delimiter, int number, String key) {
    assertThat(new KeyField(number, delimiter).of(line.getBytes(UTF_8)))
        .isEqualTo(key.getBytes(UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      delimiter = '|',
      value = {"a,b|3", "a,,b|2", ",b|1", "a,|2", "''|1"})
  void anEmptyFieldIsNoKey(String line, int number) {
    assertThat(new KeyField(number, ",").of(line.getBytes(UTF_8))).isNull();
  }

  @Test
  void aDelimiterNeedsAFieldAndSomeText() {
    assertThatThrownBy(() -> new KeyField(null, ","))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--key-field");
    assertThatThrownBy(() -> new KeyField(1, ""))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("empty");
  }
}
