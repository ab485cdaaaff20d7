package io.github.slotbloom.perf.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcFloorTest {

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "1000, 1, 1000", "8192, 1, 8192", "8193, 2, 1", "10000, 2, 1808"})
  void aRowHoldsAsManyKeysAsAJournalEntry(int keys, int rows, int keysInTheLast) {
    assertThat(JdbcFloor.rows(keys)).isEqualTo(rows);
    assertThat(JdbcFloor.keysInRow(keys, rows - 1)).isEqualTo(keysInTheLast);
  }

  @ParameterizedTest
  @CsvSource({"1", "8192", "20000"})
  void theRowsHoldAllKeys(int keys) {
    int sum = 0;
    for (int row = 0; row < JdbcFloor.rows(keys); row++) {
      sum += JdbcFloor.keysInRow(keys, row);
    }

    assertThat(sum).isEqualTo(keys);
  }
}
