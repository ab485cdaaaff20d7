package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import io.github.slotbloom.error.InvalidKeyException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short texts are hashed by arithmetic of this library, which must be that of hash4j. */
class Xxh3KeyHashTest {

  /** Beyond the last length from which XXH3 works in another way, which is 1,024. */
  private static final int LONGEST = 1_100;

  private static final String ALPHABET =
      "abcdefghijklmnopqrstuvwxyz0123456789?&=/:.-_ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  private static void assertHashedAsItsBytes(String text, long seed) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    KeyHash hash = HashAlgorithm.XXH3_64.create(seed);
    if (new String(utf8, StandardCharsets.UTF_8).equals(text)) {
      assertThat(KeyType.text().hash(text, hash))
          .as("%s with seed %s", text, seed)
          .isEqualTo(Hashing.xxh3_64(seed).hashBytesToLong(utf8));
    } else {
      assertThatThrownBy(() -> KeyType.text().hash(text, hash))
          .isInstanceOf(InvalidKeyException.class)
          .hasMessageContaining("unpaired surrogate");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 42, 0x9E3779B185EBCA8DL, 0x80000000L, Long.MIN_VALUE})
  void aTextOfAnyLengthIsHashedAsItsBytes(long seed) {
    String longest = ALPHABET.repeat(LONGEST / ALPHABET.length() + 1);
    for (int length = 0; length <= LONGEST; length++) {
      assertHashedAsItsBytes(longest.substring(0, length), seed);
    }
  }

  /** No character may pass for another one whose low bits it has. */
  @ParameterizedTest
  @ValueSource(
      chars = {
        '\0', '\u007f', '\u0080', '\u00e9', '\u00ff', '\u0100', '\u0141', '\u0800', '\u4e41',
        '\u8041', '\ud83c', '\udf38', '\uffff'
      })
  void anyCharacterAnywhereIsHashedAsItsBytes(char odd) {
    for (int length = 1; length <= 40; length++) {
      for (int at = 0; at < length; at++) {
        StringBuilder text = new StringBuilder("a".repeat(length));
        text.setCharAt(at, odd);
        assertHashedAsItsBytes(text.toString(), 7);
      }
    }
  }

  @Property
  void textsOfEveryKindAreHashedAsTheirBytes(@ForAll("texts") String text, @ForAll long seed) {
    assertHashedAsItsBytes(text, seed);
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<Integer> lengths =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 40), Arbitraries.integers().between(0, LONGEST));
    Arbitrary<Arbitrary<String>> characters =
        Arbitraries.of(
            Arbitraries.chars().range('\0', '\u007f').map(String::valueOf),
            Arbitraries.chars().range('\0', '\u00ff').map(String::valueOf),
            Arbitraries.chars().range('\0', '\ud7ff').map(String::valueOf),
            Arbitraries.integers()
                .between(0x10000, Character.MAX_CODE_POINT)
                .map(Character::toString),
            // Unpaired surrogates among others.
            Arbitraries.chars().range('\ud700', '\ue0ff').map(String::valueOf),
            Arbitraries.frequencyOf(
                Tuple.of(60, Arbitraries.chars().range('\0', '\u007f').map(String::valueOf)),
                Tuple.of(1, Arbitraries.chars().all().map(String::valueOf))));
    return lengths.flatMap(
        length ->
            characters.flatMap(
                character -> character.list().ofSize(length).map(parts -> String.join("", parts))));
  }
}
