package io.github.slotbloom.internal.parts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.InvalidParameterException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartNameTest {

  @Test
  void aNameTellsTheNumberOfThePartAndHowManyThereAre() {
    PartName name = new PartName("pages", 3, 12);
    assertThat(name).hasToString("pages_3_of_12");
    assertThat(PartName.parse("pages_3_of_12")).contains(name);
    assertThat(PartName.parse("a_0_of_1_999_of_1000"))
        .contains(new PartName("a_0_of_1", 999, 1000));
    assertThat(PartName.parse("{Acme}:\u2028urls _0_of_1"))
        .hasValueSatisfying(part -> assertThat(part.filter()).startsWith("{Acme}:\u2028urls _0"))
        .contains(new PartName("{Acme}:\u2028urls ", 0, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pages",
        "pages_0",
        "_0_of_4",
        "pages_4_of_4",
        "pages_00_of_4",
        "pages_0_of_04",
        "pages_0_of_0",
        "pages_0_of_1001",
        "pages_0of_4",
        "pages_0_of_4_"
      })
  void otherNamesAreNoParts(String name) {
    assertThat(PartName.parse(name)).isEmpty();
  }

  @Test
  void aNumberOfPartsOutsideItsRangeIsRefused() {
    assertThatThrownBy(() -> new PartName("pages", 0, 0))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage("A filter has 1 to 1000 parts, but not 0.");
    assertThatThrownBy(() -> new PartName("pages", 0, 1001))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("1001");
  }

  @Test
  void aNameThatIsTooLongWithItsNumbersIsRefused() {
    String longest = "a".repeat(193);
    assertThat(new PartName(longest, 1, 2)).hasToString(longest + "_1_of_2");
    assertThatThrownBy(() -> new PartName(longest + "a", 1, 2))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("1 to 200");
  }
}
