package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Table names are made from filter names, so nothing else may pass for one. */
class FilterNameTest {

  @Property(tries = 5_000)
  void exactlyTheDocumentedNamesAreAccepted(@ForAll("anyName") String name) {
    if (isDocumented(name)) {
      assertThat(new FilterName(name).slotTable(1)).isEqualTo("bloom_bits_" + name + "_v1");
    } else {
      assertRefused(name);
    }
  }

  /** Names that are nearly right, and anything at all. */
  @Provide
  Arbitrary<String> anyName() {
    Arbitrary<String> right =
        Arbitraries.strings().withCharRange('a', 'z').numeric().withChars('_').ofMaxLength(45);
    Arbitrary<String> nearly =
        Arbitraries.strings()
            .withChars("abz019_AZ`'\".;-\\/ \0\n\u00e9\u0131\uff41\u0660\u202e\ud83c\udf38")
            .ofMaxLength(6);
    Arbitrary<String> anything = Arbitraries.strings().ofMaxLength(2_000);
    return Arbitraries.oneOf(right, nearly, anything);
  }

  /** The rule by hand, so that an expression that says something else is found out. */
  private static boolean isDocumented(String name) {
    if (name.isEmpty() || name.length() > 40 || name.charAt(0) < 'a' || name.charAt(0) > 'z') {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if ("abcdefghijklmnopqrstuvwxyz0123456789_".indexOf(name.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  @ParameterizedTest
  @MethodSource("hostileNames")
  void hostileNamesAreRefused(String name) {
    assertRefused(name);
  }

  static Stream<String> hostileNames() {
    return Stream.of(
        "",
        " ",
        "words ",
        "words\n",
        "Words",
        "1st",
        "_x",
        "a`b",
        "a``; DROP TABLE bloom_filter; --",
        "a' OR '1'='1",
        "a\" --",
        "a.b",
        "mysql.user",
        "../a",
        "a\\",
        "a\0b",
        "a%",
        "\u00e9t\u00e9",
        "\u6771\u4eac",
        "\uff41", // FULLWIDTH SMALL A
        "a\u0660", // ARABIC-INDIC DIGIT ZERO
        "\u0131d", // DOTLESS I
        "a\u202eb", // RIGHT-TO-LEFT OVERRIDE
        "a\ud800",
        "a".repeat(41),
        "a".repeat(1_000),
        "\ud83c\udf38".repeat(500));
  }

  private static void assertRefused(String name) {
    InvalidParameterException refused =
        catchThrowableOfType(InvalidParameterException.class, () -> new FilterName(name));
    assertThat(refused).as("for %s", Quoted.of(name)).isNotNull();
    assertThat(refused.getMessage())
        .contains(Quoted.of(name))
        .contains("1 to 40 of the characters a-z, 0-9 and _, beginning with a letter")
        .hasSizeLessThan(1_000);
    assertThat(refused.getMessage().codePoints().allMatch(Quoted::visible)).isTrue();
  }

  @Test
  void anErrorShortensLongNamesAndSpellsOutInvisibleCharacters() {
    assertThatThrownBy(() -> new FilterName("\ud83c\udf38".repeat(500)))
        .hasMessageEndingWith(
            "this one is \"" + "\ud83c\udf38".repeat(60) + "...\" (1000 characters).");
    assertThatThrownBy(() -> new FilterName("a\n\u001b[31m\0\u202e\ud800b"))
        .hasMessageEndingWith("this one is \"a\\u000A\\u001B[31m\\u0000\\u202E\\uD800b\".");
    assertThatThrownBy(() -> new FilterName("")).hasMessageEndingWith("this one is \"\".");
  }

  @Test
  void nullIsRefused() {
    assertThatThrownBy(() -> new FilterName(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("name");
  }
}
