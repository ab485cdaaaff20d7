package io.github.slotbloom.internal.store.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class SlotMasksTest {

  @Property
  void masksAreMergedPerSlotAndSorted(
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

  /** All slots have bits in the end, so it changes its form on the way. */
  @Property
  void masksAreTheSameInAnyFormAndInParts(
      @ForAll @Size(max = 3000) long[] masks,
      @ForAll @IntRange(min = 1, max = 5000) int slots,
      @ForAll @IntRange(min = 1, max = 1000) int part) {
    SlotMasks sparse = new SlotMasks();
    SlotMasks any = SlotMasks.forAll(slots);
    for (int i = 0; i < masks.length; i++) {
      sparse.accept((i * 7919L) % slots, masks[i]);
      any.accept((i * 7919L) % slots, masks[i]);
    }
    assertThat(any.size()).isEqualTo(sparse.size());
    assertThat(any.sortedSlots()).containsExactly(sparse.sortedSlots());
    for (SlotMasks form : List.of(sparse, any)) {
      List<Long> inParts = new ArrayList<>();
      long from = 0;
      for (long[] next = form.sortedSlots(from, part);
          next.length > 0;
          next = form.sortedSlots(from, part)) {
        assertThat(next.length).isLessThanOrEqualTo(part);
        Arrays.stream(next).forEach(inParts::add);
        from = next[next.length - 1] + 1;
      }
      assertThat(inParts.stream().mapToLong(Long::longValue)).containsExactly(boxed(sparse));
    }
    for (int slot = 0; slot < slots; slot++) {
      assertThat(any.mask(slot)).isEqualTo(sparse.mask(slot));
    }
  }

  private static Long[] boxed(SlotMasks masks) {
    return Arrays.stream(masks.sortedSlots()).boxed().toArray(Long[]::new);
  }

  @Example
  void manySlotsAreKeptInAnArrayOfAll() {
    SlotMasks masks = SlotMasks.forAll(100_000);
    for (int slot = 0; slot < 100_000; slot++) {
      masks.accept(slot, slot + 1);
    }
    assertThat(masks.size()).isEqualTo(100_000);
    assertThat(masks.sortedSlots(99_998, 10)).containsExactly(99_998, 99_999);
    assertThat(masks.sortedSlots(100_000, 10)).isEmpty();
    assertThat(masks.mask(4711)).isEqualTo(4712);
  }
}
