package io.github.slotbloom.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns match as those of Redis. */
class GlobTest {

  @ParameterizedTest
  @CsvSource({
    "*, anything, true",
    "*, '', true",
    "'', '', true",
    "'', a, false",
    "h?llo, hello, true",
    "h?llo, hllo, false",
    "h*llo, heeeello, true",
    "h*llo, hello!, false",
    "*a*b, xaxxb, true",
    "*a*b, xbxxa, false",
    "user:*:f, user:1:f, true",
    "h[ae]llo, hallo, true",
    "h[ae]llo, hillo, false",
    "h[^e]llo, hallo, true",
    "h[^e]llo, hello, false",
    "h[a-c]llo, hbllo, true",
    "h[c-a]llo, hbllo, true",
    "h[a-c]llo, hdllo, false",
    "[, a, false",
    "a\\*b, a*b, true",
    "a\\*b, axb, false",
    "[\\]], ], true",
    "\\, \\, true",
  })
  void matchesAsRedisDoes(String pattern, String name, boolean matches) {
    assertThat(new Glob(pattern).matches(name)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({"100"})
  void manyStarsTakeNoTime(int stars) {
    assertThat(new Glob("*a".repeat(stars)).matches("a".repeat(10_000) + "b")).isFalse();
  }
}
