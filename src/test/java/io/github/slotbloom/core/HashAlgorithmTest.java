package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
  void xxh3MatchesThePublishedVectors(int length, String seed, String hash) {
    KeyHash keyHash = HashAlgorithm.XXH3_64.create(Long.parseUnsignedLong(seed, 16));

    assertThat(keyHash.hashBytes(publishedTestBuffer(length)))
        .isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  /** Vectors of the reference implementation, for the bytes 0, 1, 2, ... and the key 0 to 15. */
  @ParameterizedTest
  @CsvSource({
    " 0, 726FDB47DD0E0E31",
    " 1, 74F839C593DC67FD",
    " 8, 93F5F5799A932462",
    "15, A129CA6149BE45E5",
    "63, 958A324CEB064572"
  })
  void sipHashMatchesThePublishedVectors(int length, String hash) {
    assertThat(new SipHashKeyHash(counting(16)).hashBytes(counting(length)))
        .isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  /** Vectors that other implementations are tested with, Guava and mmh3 among them. */
  @ParameterizedTest
  @CsvSource({
    "0, hell, 629942693E10F867",
    "1, hello, A78DDFF5ADAE8D10",
    "4, hello wo, 79F6305A386C572C",
    "0, foo, E271865701F54561",
    "0, The quick brown fox jumps over the lazy dog, E34BBC7BBC071B6C"
  })
  void murmur3MatchesOtherSystems(long seed, String text, String hash) {
    assertThat(KeyType.text().hash(text, HashAlgorithm.MURMUR3_128.create(seed)))
        .isEqualTo(Long.parseUnsignedLong(hash, 16));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0x100000000L, Long.MIN_VALUE})
  void murmur3RefusesASeedThatIsTooLarge(long seed) {
    assertThatThrownBy(() -> HashAlgorithm.MURMUR3_128.create(seed))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll("0 to 4294967295", "not " + seed);
  }

  @Test
  void onlyHashesThatWithstandChosenKeysAreKeyed() {
    assertThat(HashAlgorithm.values())
        .filteredOn(HashAlgorithm::isKeyed)
        .containsExactly(HashAlgorithm.SIPHASH_24, HashAlgorithm.SHA256);
  }

  @Property
  void aNumberHashesAsItsLittleEndianBytes(
      @ForAll HashAlgorithm algorithm,
      @ForAll @LongRange(min = 0, max = 0xFFFFFFFFL) long seed,
      @ForAll long key) {
    KeyHash keyHash = algorithm.create(seed);
    byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(key).array();

    assertThat(keyHash.hashLong(key)).isEqualTo(keyHash.hashBytes(bytes));
  }

  @ParameterizedTest
  @EnumSource(HashAlgorithm.class)
  void anotherSeedGivesAnotherHash(HashAlgorithm algorithm) {
    assertThat(algorithm.create(1).hashLong(42)).isNotEqualTo(algorithm.create(2).hashLong(42));
  }

  @ParameterizedTest
  @EnumSource(HashAlgorithm.class)
  void anAlgorithmIsFoundByItsId(HashAlgorithm algorithm) {
    assertThat(HashAlgorithm.byId(algorithm.id())).isEqualTo(algorithm);
  }

  @Test
  void theIdIsPartOfTheStoredFormat() {
    assertThat(HashAlgorithm.values())
        .extracting(HashAlgorithm::id)
        .containsExactly("xxh3_64", "murmur3_128", "siphash24", "sha256");
  }

  @Test
  void anUnknownIdIsRefused() {
    assertThatThrownBy(() -> HashAlgorithm.byId("md5"))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("'md5' is unknown to this version");
  }

  private static byte[] counting(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
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
