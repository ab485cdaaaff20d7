package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.sql.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTypeTest {

  private static final KeyHash HASH = HashAlgorithm.XXH3_64.create(0);

  @Test
  void idsArePartOfTheStoredFormat() {
    assertThat(KeyType.text().id()).isEqualTo("text");
    assertThat(KeyType.bytes().id()).isEqualTo("bytes");
    assertThat(KeyType.longs().id()).isEqualTo("long");
    assertThat(uuids("uuid.v1").id()).isEqualTo("custom:uuid.v1");
    assertThat(uuids("text")).isNotEqualTo(KeyType.text()).hasToString("custom:text");
  }

  @Test
  void keyTypesWithTheSameIdAreEqual() {
    assertThat(uuids("uuid")).isEqualTo(uuids("uuid")).hasSameHashCodeAs(uuids("uuid"));
    assertThat(uuids("uuid")).isNotEqualTo(uuids("uuid2")).isNotEqualTo("custom:uuid");
  }

  @Test
  void aNumberAndItsDigitsAreDifferentKeys() {
    assertThat(KeyType.longs().hash(42L, HASH)).isNotEqualTo(KeyType.text().hash("42", HASH));
  }

  @Test
  void textIsHashedAsUtf8() {
    String text = "a\u00fc\u6771\ud83c\udf38";

    assertThat(KeyType.text().hash(text, HASH))
        .isEqualTo(KeyType.bytes().hash(text.getBytes(StandardCharsets.UTF_8), HASH));
  }

  /** jqwik's strings contain lone surrogates too, which only the bytes can tell apart. */
  @Property
  void textIsAcceptedIfItSurvivesUtf8(@ForAll String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (new String(utf8, StandardCharsets.UTF_8).equals(text)) {
      assertThat(KeyType.text().hash(text, HASH)).isEqualTo(HASH.hashBytes(utf8));
    } else {
      assertThatThrownBy(() -> KeyType.text().hash(text, HASH))
          .isInstanceOf(InvalidKeyException.class);
    }
  }

  @Test
  void aLoneSurrogateIsRefusedWithItsIndex() {
    assertLoneSurrogate("ab\ud83c", "U+D83C at index 2");
    assertLoneSurrogate("\udf38ab", "U+DF38 at index 0");
    assertLoneSurrogate("\ud83c\udf38\udf38", "U+DF38 at index 2");
    assertLoneSurrogate("a\ud83c\ud83c\udf38", "U+D83C at index 1");
  }

  @Test
  void aKeyAboveOneMebibyteIsRefusedWithItsSize() {
    int max = KeyType.MAX_KEY_BYTES;
    assertThat(max).isEqualTo(1024 * 1024);
    assertThat(KeyType.bytes().hash(new byte[max], HASH))
        .isEqualTo(KeyType.text().hash("\0".repeat(max), HASH));

    assertTooLong(() -> KeyType.bytes().hash(new byte[max + 1], HASH), max + 1);
    assertTooLong(() -> KeyType.text().hash("a".repeat(max + 1), HASH), max + 1);
    assertTooLong(() -> KeyType.text().hash("\u6771".repeat(max / 3 + 1), HASH), max + 2);
    assertTooLong(
        () -> KeyType.encoded("big", key -> new byte[max + 7]).hash("any", HASH), max + 7);
  }

  @Test
  void theSizeOfTextIsCountedInUtf8() {
    for (String text : new String[] {"a", "\u00fc", "\u6771", "\ud83c\udf38"}) {
      int each = text.getBytes(StandardCharsets.UTF_8).length;
      int count = KeyType.MAX_KEY_BYTES / each + 1;

      assertTooLong(() -> KeyType.text().hash(text.repeat(count), HASH), count * each);
    }
  }

  @Test
  void nullIsRefused() {
    assertThatThrownBy(() -> KeyType.text().hash(null, HASH))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("The key is null; a filter of text keys has no null");
    assertThatThrownBy(() -> KeyType.longs().hash(null, HASH))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("long");
    assertThatThrownBy(() -> KeyType.encoded("broken", key -> null).hash("any", HASH))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("The encoder of key type custom:broken returned null");
  }

  @Test
  void encodedKeysAreHashedByTheirBytes() {
    UUID uuid = new UUID(1, 2);

    assertThat(uuids("uuid").hash(uuid, HASH)).isEqualTo(KeyType.text().hash(uuid + "", HASH));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "order-id.v1", "a_1", "a234567890123456789012345678901"})
  void anIdOfTheRightFormIsAccepted(String id) {
    assertThat(uuids(id).id()).isEqualTo("custom:" + id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1a",
        "-a",
        "A",
        "a b",
        "a:b",
        "\u00fc",
        "a\n",
        "a2345678901234567890123456789012"
      })
  void anIdOfAnotherFormIsRefused(String id) {
    assertThatThrownBy(() -> uuids(id))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(Quoted.of(id) + " is invalid; use 1 to 31 of a-z");
  }

  private static KeyType<UUID> uuids(String id) {
    return KeyType.encoded(id, uuid -> uuid.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private static void assertLoneSurrogate(String key, String where) {
    assertThatThrownBy(() -> KeyType.text().hash(key, HASH))
        .isInstanceOf(InvalidKeyException.class)
        .hasMessageContaining(where);
  }

  private static void assertTooLong(ThrowingCallable call, long bytes) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidKeyException.class)
        .hasMessageContaining("The key has " + bytes + " bytes, and at most 1048576")
        .hasMessageContaining("hash it first");
  }
}
