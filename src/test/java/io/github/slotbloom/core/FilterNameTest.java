package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A name is any text that people can write, and that a server keeps as it is. */
class FilterNameTest {

  private static final String BLOSSOM = "\ud83c\udf38";

  @Property(tries = 5_000)
  void exactlyTheDocumentedNamesAreAccepted(@ForAll("anyName") String name) {
    if (isDocumented(name)) {
      assertThat(new FilterName(name).value()).isEqualTo(name);
    } else {
      assertRefused(name);
    }
  }

  @Provide
  Arbitrary<String> anyName() {
    Arbitrary<String> right = Arbitraries.strings().ascii().ofMaxLength(205);
    Arbitrary<String> nearly =
        Arbitraries.strings()
            .withChars("aZ_ '\\\0\n\u007f\u0085\u2028\u00e9\u202e\uffff\ud83c\udf38")
            .ofMaxLength(6);
    Arbitrary<String> anything = Arbitraries.strings().ofMaxLength(500);
    return Arbitraries.oneOf(right, nearly, anything);
  }

  /** The rule by hand, so that code that says something else is found out. */
  private static boolean isDocumented(String name) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    boolean wholePairs = new String(utf8, StandardCharsets.UTF_8).equals(name);
    long characters = name.codePoints().count();
    return wholePairs
        && characters >= 1
        && characters <= 200
        && name.chars().noneMatch(c -> c < 32 || (c >= 127 && c < 160));
  }

  @ParameterizedTest
  @MethodSource("refusedNames")
  void whatIsNoTextIsRefused(String name) {
    assertRefused(name);
  }

  static Stream<String> refusedNames() {
    return Stream.of(
        "",
        "words\n",
        "a\0b",
        "a\tb",
        "a\u007f",
        "a\u0085b",
        "a\ud800",
        "\udf38\ud83c",
        "a".repeat(201),
        BLOSSOM.repeat(201));
  }

  @ParameterizedTest
  @MethodSource("names")
  void whatPeopleWriteIsAccepted(String name) {
    assertThat(new FilterName(name).value()).isEqualTo(name);
  }

  static Stream<String> names() {
    return Stream.of(
        "user:filter",
        "{tenant}:urls",
        "Acme-2",
        " ",
        "a'; DROP TABLE bloom_filter; --",
        "../a\\b`c\"d%",
        "\u00e9t\u00e9",
        "\u6771\u4eac",
        "a\u202eb",
        "a".repeat(200),
        BLOSSOM.repeat(200));
  }

  private static void assertRefused(String name) {
    InvalidParameterException refused =
        catchThrowableOfType(InvalidParameterException.class, () -> new FilterName(name));
    assertThat(refused).as("for %s", Quoted.of(name)).isNotNull();
    assertThat(refused.getMessage())
        .contains(Quoted.of(name))
        .contains("1 to 200 characters, no control characters")
        .hasSizeLessThan(1_000);
    assertThat(refused.getMessage().codePoints().allMatch(Quoted::visible)).isTrue();
  }

  @Test
  void anErrorShortensLongNamesAndSpellsOutInvisibleCharacters() {
    assertThatThrownBy(() -> new FilterName(BLOSSOM.repeat(500)))
        .hasMessageEndingWith("this one is \"" + BLOSSOM.repeat(60) + "...\" (1000 characters).");
    assertThatThrownBy(() -> new FilterName("a\n\u001b[31m\0\u202e\ud800\"\\b"))
        .hasMessageEndingWith("this one is \"a\\u000A\\u001B[31m\\u0000\\u202E\\uD800\\\"\\\\b\".");
    assertThatThrownBy(() -> new FilterName("")).hasMessageEndingWith("this one is \"\".");
  }

  /** What is seen in a message is one name alone, whatever is in it and around it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          words           | words
          user:filter     | user:filter
          {tenant}:urls   | {tenant}:urls
          Acme-2          | Acme-2
          ~a ~            | "a "
          a b             | "a b"
          a" exists. "b   | "a\\" exists. \\"b"
          a.              | "a."
          -f              | "-f"
          a$b             | "a$b"
          """)
  void messagesQuoteWhatIsNotPlain(String name, String shown) {
    assertThat(new FilterName(name)).hasToString(shown);
  }

  @Test
  void messagesSpellOutWhatNobodySees() {
    assertThat(new FilterName("a\u2028b\u202e\u00a0")).hasToString("\"a\\u2028b\\u202E\u00a0\"");
    assertThat(new FilterName("\u00e9".repeat(200))).hasToString('"' + "\u00e9".repeat(200) + '"');
  }

  @Test
  void nullIsRefused() {
    assertThatThrownBy(() -> new FilterName(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("name");
  }
}
