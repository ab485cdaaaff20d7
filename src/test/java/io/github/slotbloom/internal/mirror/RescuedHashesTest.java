package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BlockList;
import io.github.slotbloom.internal.store.journal.Rescued;
import org.junit.jupiter.api.Test;

class RescuedHashesTest {

  private final RescuedHashes hashes = new RescuedHashes();

  @Test
  void aRescueLastsUntilItsEndOnly() {
    hashes.put(1, 100);
    hashes.put(2, Rescued.FOR_EVER);
    hashes.put(3, 100);
    hashes.put(3, Rescued.ENDED);
    assertThat(hashes.contains(1, 99)).isTrue();
    assertThat(hashes.contains(1, 100)).isFalse();
    assertThat(hashes.contains(2, Long.MAX_VALUE - 1)).isTrue();
    assertThat(hashes.contains(3, 99)).isFalse();
  }

  /** After a failover to a server whose clock is behind, the rows would count again, too. */
  @Test
  void aRescueLastsAgainWhereTheClockGoesBack() {
    hashes.put(1, 100);
    assertThat(hashes.contains(1, 200)).isFalse();
    assertThat(hashes.contains(1, 50)).isTrue();
  }

  @Test
  void rescuesThatEndedTakeNoMemoryForEver() {
    hashes.put(-1, Rescued.FOR_EVER);
    for (int hash = 0; hash < 3 * BlockList.MAX_RESCUED; hash++) {
      hashes.put(hash, 100 + hash % 3);
    }
    hashes.forgetEnded(99);
    assertThat(hashes.size()).isEqualTo(1 + 3 * BlockList.MAX_RESCUED);
    hashes.forgetEnded(101);
    assertThat(hashes.size()).isEqualTo(1 + BlockList.MAX_RESCUED);
    assertThat(hashes.contains(2, 101)).isTrue();
    assertThat(hashes.contains(-1, 101)).isTrue();
    hashes.forgetEnded(102);
    hashes.put(7, 103);
    hashes.forgetEnded(200);
    assertThat(hashes.size()).as("few that ended are kept").isEqualTo(2);
  }
}
