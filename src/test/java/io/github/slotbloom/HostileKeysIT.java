package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Use;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Keys at the edges of their types, and such as are easily taken for one another, in a process with
 * a mirror and in one without.
 */
@DatabaseContract
class HostileKeysIT {

  private static final int SIXTEEN_MIB = 16 << 20;

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "\0",
          "\0\0",
          "\n",
          "\r\n",
          "a",
          "A",
          "a ",
          " a",
          "a\0",
          "\0a",
          "\u00e4", // composed
          "a\u0308", // and decomposed
          "\ufb01",
          "fi",
          "\u0391", // Greek
          "\u0410", // and Cyrillic
          "\u00df",
          "ss",
          "\u6771\u4eac",
          "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
          "\u0e44\u0e17\u0e22",
          "\ud83c\udf38",
          "\u202eabc",
          "\ufeffa",
          "\ufffd",
          "?",
          "null",
          "'",
          "`",
          "\\",
          "%",
          "a".repeat(KeyType.MAX_KEY_BYTES),
          "a".repeat(KeyType.MAX_KEY_BYTES - 1));

  private static final List<Long> LONGS =
      List.of(
          Long.MIN_VALUE,
          Long.MIN_VALUE + 1,
          Long.MAX_VALUE,
          Long.MAX_VALUE - 1,
          0L,
          1L,
          -1L,
          (long) Integer.MIN_VALUE,
          (long) Integer.MAX_VALUE,
          1L + Integer.MAX_VALUE,
          1L << 32,
          1L << 53,
          (1L << 53) + 1);

  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom elsewhere;

  @Test
  void hostileTextsAreDifferentKeys() {
    assertEachIsAKeyOfItsOwn("texts", KeyType.text(), TEXTS);
  }

  @Test
  void hostileNumbersAreDifferentKeys() {
    assertEachIsAKeyOfItsOwn("longs", KeyType.longs(), LONGS);
  }

  /** All of none, one and two bytes that are alike, and some zeros more. */
  @Test
  void hostileBytesAreDifferentKeys() {
    Stream<byte[]> bytes =
        Stream.of(
                Stream.of(new byte[0], new byte[3], new byte[8], new byte[KeyType.MAX_KEY_BYTES]),
                IntStream.range(0, 256).mapToObj(b -> new byte[] {(byte) b}),
                IntStream.range(0, 256).mapToObj(b -> new byte[] {(byte) b, (byte) b}),
                IntStream.range(1, 256).mapToObj(b -> new byte[] {(byte) b, 0}))
            .flatMap(some -> some);
    assertEachIsAKeyOfItsOwn("bytes", KeyType.bytes(), bytes.toList());
  }

  private static <K> void assertEachIsAKeyOfItsOwn(String name, KeyType<K> type, List<K> keys) {
    List<K> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, new Random(keys.size()));
    List<K> first = shuffled.subList(0, keys.size() / 2);
    List<K> rest = shuffled.subList(keys.size() / 2, keys.size());
    BloomFilter<K> filter = here.reserve(name, Use.MIRRORED.spec(type));
    assertThat(filter.mightContainEach(keys)).containsOnly(false);
    assertThat(filter.addEach(first)).containsOnly(true);
    assertThat(filter.addEach(first)).containsOnly(false);
    try (BloomFilter<K> other = elsewhere.open(name, type, Use.DIRECT.options())) {
      assertThat(other.mightContainEach(first)).containsOnly(true);
      assertThat(other.mightContainEach(rest)).containsOnly(false);
      here.admin(filter.name()).fold();
      assertThat(other.mightContainEach(rest)).containsOnly(false);
      assertThat(other.addEach(rest)).containsOnly(true);
      assertThat(other.addEach(keys)).containsOnly(false);
      assertThat(other.add(keys.get(0))).isFalse();
    }
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    assertThat(filter.mightContain(keys.get(keys.size() - 1))).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(keys.size());
    filter.close();
  }

  @Test
  void callsWithAnInvalidKeyAreRefusedAndRecordNothing() {
    BloomFilter<String> texts = Use.MIRRORED.reserve(here, "refused");
    for (String key :
        List.of(
            "a".repeat(SIXTEEN_MIB), "\u6771".repeat(KeyType.MAX_KEY_BYTES / 3 + 1), "\ud800")) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> texts.add(key),
              () -> texts.addAsync(key),
              () -> texts.addEach(List.of("before", key, "after")),
              () -> texts.filterNew(List.of("before", key)),
              () -> texts.mightContain(key),
              () -> texts.mightContainEach(List.of("before", key)))) {
        assertThatThrownBy(call)
            .isInstanceOf(InvalidKeyException.class)
            .hasMessageMatching(".*(\\d+ bytes, and at most|U\\+D800 at index 0).*")
            .hasMessageMatching(".*(hash it first|add it as bytes).*");
      }
    }
    assertThat(texts.mightContainEach(List.of("before", "after"))).containsOnly(false);
    assertThat(here.info(texts.name()).lastSequence()).isZero();
    texts.close();
  }
}
