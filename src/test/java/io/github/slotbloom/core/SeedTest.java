package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeedTest {

  @ParameterizedTest
  @CsvSource({
    "xxh3_64, 4711",
    "murmur3_128, 4711",
    "siphash24, secret",
    "sha256, secret",
    "of_a_later_version, secret"
  })
  void aSecretSeedIsShownOnlyOnRequest(String hash, String shown) {
    assertThat(Seed.of(hash, 4711)).hasToString(shown).extracting(Seed::value).isEqualTo(4711L);
  }
}
