package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HashAlgorithmTest {

  /**
   * Values that the xxHash project publishes for XXH3_64bits in its own sanity check, for the first
   * bytes of its test buffer; one length for each of the algorithm's branches.
   */
  @ParameterizedTest
  @CsvSource({
    "  0,                0, 2D06800538D394C2",
    "  0, 9E3779B185EBCA8D, A8A6B918B2F0364A",
    "  1,                0, C44BDFF4074EECDB",
    "  1, 9E3779B185EBCA8D, 032BE332DD766EF8",
    "  6,                0, 27B56A84CD2D7325",
    "  6, 9E3779B185EBCA8D, 84589C116AB59AB9",
    " 12,                0, A713DAF0DFBB77E7",
    " 12, 9E3779B185EBCA8D, E7303E1B2336DE0E",
    " 24,                0, A3FE70BF9D3510EB",
    " 24, 9E3779B185EBCA8D, 850E80FC35BDD690",
    " 48,                0, 397DA259ECBA1F11",
    " 48, 9E3779B185EBCA8D, ADC2CBAA44ACC616",
    " 80,                0, BCDEFBBB2C47C90A",
    " 80, 9E3779B185EBCA8D, C6DD0CB699532E73",
    "195,                0, CD94217EE362EC3A",
    "195, 9E3779B185EBCA8D, BA68003D370CB3D9"
  })
  void xxh3IsTheOneThatIsPublished(int length, String seed, String hash) {
    KeyHash keyHash = HashAlgorithm.XXH3_64.create(Long.parseUnsignedLong(seed, 16));

    assertThat(keyHash.hashBytes(publishedTestBuffer(length)))
        .isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  @Property
  void aNumberHashesAsItsBytesTheLeastSignificantFirst(@ForAll long seed, @ForAll long key) {
    KeyHash keyHash = HashAlgorithm.XXH3_64.create(seed);
    byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(key).array();

    assertThat(keyHash.hashLong(key)).isEqualTo(keyHash.hashBytes(bytes));
  }

  @Test
  void anotherSeedGivesAnotherHash() {
    assertThat(HashAlgorithm.XXH3_64.create(1).hashLong(42))
        .isNotEqualTo(HashAlgorithm.XXH3_64.create(2).hashLong(42));
  }

  @ParameterizedTest
  @EnumSource(HashAlgorithm.class)
  void isFoundByItsId(HashAlgorithm algorithm) {
    assertThat(HashAlgorithm.byId(algorithm.id())).isEqualTo(algorithm);
  }

  @Test
  void theIdIsPartOfTheStoredFormat() {
    assertThat(HashAlgorithm.XXH3_64.id()).isEqualTo("xxh3_64");
  }

  @Test
  void refusesAnIdThatItDoesNotKnow() {
    assertThatThrownBy(() -> HashAlgorithm.byId("md5"))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("'md5' is not known to this version");
  }

  private static byte[] publishedTestBuffer(int length) {
    byte[] buffer = new byte[length];
    long generator = 2654435761L;
    for (int i = 0; i < length; i++) {
      buffer[i] = (byte) (generator >>> 56);
      generator *= 0x9E3779B185EBCA8DL;
    }
    return buffer;
  }
}
