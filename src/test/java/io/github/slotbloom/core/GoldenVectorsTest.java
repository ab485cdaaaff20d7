package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.bits.Probe;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stored format: hashes and positions that may never change. */
class GoldenVectorsTest {

  private static final Probe STANDARD =
      Probe.of(new BloomParameters(Layout.STANDARD, 9_592_957L, 7));
  private static final Probe STANDARD_LARGE =
      Probe.of(new BloomParameters(Layout.STANDARD, 17_179_881_529L, 10));
  private static final Probe BLOCKED = Probe.of(new BloomParameters(Layout.BLOCKED, 9_918_464L, 9));

  static Stream<String> vectors() throws IOException {
    return lines("golden-vectors.tsv");
  }

  static Stream<String> otherHashes() throws IOException {
    return lines("golden-hashes.tsv");
  }

  private static Stream<String> lines(String resource) throws IOException {
    try (InputStream in = GoldenVectorsTest.class.getResourceAsStream(resource)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("#"));
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void hashesAndPositionsNeverChange(String vector) {
    String[] column = vector.split("\t", -1);
    byte[] bytes = HexFormat.of().parseHex(column[2]);
    KeyHash keyHash = HashAlgorithm.XXH3_64.create(HexFormat.fromHexDigitsToLong(column[3]));

    long hash = hash(column[0], bytes, keyHash);

    assertThat(HexFormat.of().toHexDigits(hash)).isEqualTo(column[4]);
    assertThat(positions(STANDARD, hash)).isEqualTo(column[5]);
    assertThat(positions(STANDARD_LARGE, hash)).isEqualTo(column[6]);
    assertThat(positions(BLOCKED, hash)).isEqualTo(column[7]);
  }

  @ParameterizedTest
  @MethodSource("otherHashes")
  void hashesMatchOtherImplementations(String vector) {
    String[] column = vector.split("\t", -1);
    KeyHash keyHash =
        HashAlgorithm.byId(column[0]).create(HexFormat.fromHexDigitsToLong(column[1]));

    long hash = keyHash.hashBytes(HexFormat.of().parseHex(column[2]));

    assertThat(HexFormat.of().toHexDigits(hash)).isEqualTo(column[3]);
  }

  @Test
  void everyHashFunctionHasVectors() throws IOException {
    assertThat(
            Stream.concat(
                Stream.of("xxh3_64"), otherHashes().map(vector -> vector.split("\t", -1)[0])))
        .containsAll(Arrays.stream(HashAlgorithm.values()).map(HashAlgorithm::id).toList());
  }

  @Test
  void everyKeyTypeHasVectorsWithTwoSeeds() throws IOException {
    assertThat(
            vectors()
                .map(vector -> vector.split("\t"))
                .collect(
                    Collectors.groupingBy(
                        column -> column[0] + " " + column[3], Collectors.counting())))
        .containsOnlyKeys(
            "bytes 0000000000000000",
            "bytes deadbeefcafef00d",
            "text 0000000000000000",
            "text deadbeefcafef00d",
            "long 0000000000000000",
            "long deadbeefcafef00d")
        .allSatisfy((kind, count) -> assertThat(count).isGreaterThanOrEqualTo(4));
  }

  @Test
  void theLargeVectorsReachBeyond32Bits() throws IOException {
    assertThat(
            vectors()
                .flatMap(vector -> Arrays.stream(vector.split("\t")[6].split(",")))
                .mapToLong(Long::parseLong)
                .filter(position -> position > 1L << 33)
                .count())
        .isGreaterThan(50);
  }

  private static long hash(String keyType, byte[] bytes, KeyHash keyHash) {
    return switch (keyType) {
      case "bytes" -> KeyType.bytes().hash(bytes, keyHash);
      case "text" -> KeyType.text().hash(new String(bytes, StandardCharsets.UTF_8), keyHash);
      case "long" ->
          KeyType.longs()
              .hash(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(), keyHash);
      default -> throw new AssertionError(keyType);
    };
  }

  private static String positions(Probe probe, long hash) {
    return Arrays.stream(probe.positions(hash))
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }
}
