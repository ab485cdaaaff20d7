package io.github.slotbloom.perf.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CuckooTableTest {

  private static final int KEYS = 20_000;

  @ParameterizedTest
  @CsvSource({"0.01, 10", "0.0001, 17", "0.000001, 23", "0.000000001, 33"})
  void fingerprintsAreAsLongAsTheFalsePositiveRateTakes(double falsePositiveRate, int bits) {
    assertThat(CuckooTable.fingerprintBits(falsePositiveRate)).isEqualTo(bits);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.0001, 0.000000001})
  void aFullFilterFindsWhatWasAddedAndHardlyAnythingElse(double falsePositiveRate) {
    CuckooTable filter = full(falsePositiveRate);

    assertThat(seen(filter, 0, KEYS)).isEqualTo(KEYS);
    assertThat(seen(filter, Keys.ABSENT, KEYS))
        .isLessThanOrEqualTo(Checks.most(KEYS, falsePositiveRate));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.0001, 0.000000001})
  void removedKeysAreGoneAndTheOthersStay(double falsePositiveRate) {
    CuckooTable filter = full(falsePositiveRate);

    for (long number = 0; number < KEYS / 2; number++) {
      assertThat(filter.remove(Keys.text(number))).isTrue();
    }

    assertThat(seen(filter, 0, KEYS / 2))
        .isLessThanOrEqualTo(Checks.most(KEYS / 2, falsePositiveRate));
    assertThat(seen(filter, KEYS / 2, KEYS / 2)).isEqualTo(KEYS / 2);
  }

  private static CuckooTable full(double falsePositiveRate) {
    CuckooTable filter = new CuckooTable(KEYS, falsePositiveRate);
    LongStream.range(0, KEYS).forEach(number -> filter.add(Keys.text(number)));
    return filter;
  }

  private static long seen(CuckooTable filter, long first, int count) {
    return LongStream.range(first, first + count)
        .filter(number -> filter.mightContain(Keys.text(number)))
        .count();
  }
}
