package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which hash function a filter has, and who gets to know its seed. */
@DatabaseContract(onOne = true)
class HashChoiceIT {

  private static final long SECRET = 8_152_637_485_960_718L;

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @ParameterizedTest
  @EnumSource(HashAlgorithm.class)
  void aFilterKeepsItsHashFunction(HashAlgorithm algorithm) {
    String name = "kept_" + algorithm.id();
    FilterSpec<String> spec = spec(algorithm).build();
    try (BloomFilter<String> filter = bloom.openOrReserve(name, spec)) {
      assertThat(filter.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
    }

    try (BloomFilter<String> again = bloom.openOrReserve(name, spec)) {
      assertThat(bloom.info(again.name()).hash()).isEqualTo(algorithm.id());
      assertThat(again.mightContain("a")).isTrue();
      assertThat(again.mightContain("c")).isFalse();
    }
    for (HashAlgorithm other : HashAlgorithm.values()) {
      if (other != algorithm) {
        assertThatThrownBy(() -> bloom.open(name, spec(other).build()))
            .isInstanceOf(FilterMismatchException.class)
            .hasMessageContaining("hash is " + algorithm.id() + ", not " + other.id());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HashAlgorithm.class,
      names = {"SIPHASH_24", "SHA256"})
  void theSeedOfAKeyedHashIsRandomAndASecret(HashAlgorithm algorithm) throws Exception {
    bloom.reserve("one_" + algorithm.id(), spec(algorithm).build()).close();
    bloom.reserve("two_" + algorithm.id(), spec(algorithm).build()).close();

    FilterInfo one = bloom.info("one_" + algorithm.id());
    FilterInfo two = bloom.info("two_" + algorithm.id());
    assertThat(one.seed().value()).isNotEqualTo(two.seed().value()).isNotZero();
    assertThat(one.seed().value())
        .isEqualTo(sql.number("SELECT seed FROM bloom_filter WHERE id = ?", one.id()));
    assertThat(one.toString()).doesNotContain(Long.toString(one.seed().value()));

    assertThatThrownBy(() -> bloom.open(one.name(), spec(algorithm).seed(SECRET).build()))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("the seeds differ (neither is shown)")
        .hasMessageNotContainingAny(Long.toString(SECRET), Long.toString(one.seed().value()));
  }

  @Test
  void theSeedOfAKeyedHashMayBeGiven() throws Exception {
    FilterSpec<String> given = spec(HashAlgorithm.SHA256).seed(SECRET).build();
    try (BloomFilter<String> filter = bloom.reserve("given", given)) {
      assertThat(bloom.info(filter.name()).seed().value()).isEqualTo(SECRET);
      bloom.open("given", given).close();

      sql.run("UPDATE bloom_filter SET hash = 'xxh3_64', seed = seed + 1 WHERE name = 'given'");
      assertThatThrownBy(() -> filter.add("a"))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("hash was sha256 and is xxh3_64; the seeds differ")
          .hasMessageNotContainingAny(Long.toString(SECRET), Long.toString(SECRET + 1));
    }
  }

  private static FilterSpec.Builder<String> spec(HashAlgorithm algorithm) {
    return FilterSpec.builder(KeyType.text()).capacity(1000).hash(algorithm);
  }
}
