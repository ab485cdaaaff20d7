package io.github.slotbloom.perf.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CounterRowsTest {

  /** Two keys that share the counter 17, and the first of them once more. */
  private final CounterRows rows = new CounterRows(new long[] {3, 17, 17, 40, 3, 17}, 2);

  @Test
  void everyRowIsReadOnce() {
    assertThat(rows.slots()).containsExactly(0, 1, 2);
    assertThat(rows.keys()).isEqualTo(3);
  }

  @Test
  void theSecondOfTwoEqualKeysIsNotNew() {
    assertThat(rows.add(0)).isTrue();
    assertThat(rows.add(1)).isTrue();
    assertThat(rows.add(2)).isFalse();
  }

  @Test
  void aSharedCounterOutlivesOneOfItsKeys() {
    rows.add(0);
    rows.add(1);

    assertThat(rows.remove(0)).isTrue();

    assertThat(rows.contains(0)).isFalse();
    assertThat(rows.contains(1)).isTrue();
  }

  @Test
  void removingAKeyThatIsNotThereChangesNothing() {
    rows.read(0, SixteenCounters.up(0, 3));

    assertThat(rows.remove(0)).isFalse();
    assertThat(rows.changed()).isEmpty();
    assertThat(rows.counters(0)).isEqualTo(SixteenCounters.up(0, 3));
  }

  @Test
  void onlyChangedRowsAreWritten() {
    rows.add(1);

    assertThat(rows.changed()).containsExactly(1, 2);
  }
}
