package io.github.slotbloom.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class SlotMasksTest {

  @Property
  void mergesPerSlotAndSorts(
      @ForAll @Size(max = 3000) long[] masks, @ForAll @LongRange(min = 1, max = 5000) long range) {
    SlotMasks merged = new SlotMasks();
    Map<Long, Long> expected = new TreeMap<>();
    for (int i = 0; i < masks.length; i++) {
      long slot = (i * 7919L) % range;
      merged.accept(slot, masks[i]);
      if (masks[i] != 0) {
        expected.merge(slot, masks[i], (a, b) -> a | b);
      }
    }
    assertThat(merged.size()).isEqualTo(expected.size());
    assertThat(merged.sortedSlots())
        .containsExactly(expected.keySet().stream().mapToLong(Long::longValue).toArray());
    expected.forEach((slot, mask) -> assertThat(merged.mask(slot)).isEqualTo(mask));
    assertThat(merged.mask(range)).isZero();
  }
}
