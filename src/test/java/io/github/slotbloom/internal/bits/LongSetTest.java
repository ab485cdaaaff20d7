package io.github.slotbloom.internal.bits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class LongSetTest {

  @Property
  void aLongSetBehavesLikeASet(
      @ForAll @Size(max = 500) long[] wide, @ForAll @LongRange(max = 3) long low) {
    LongSet set = new LongSet(wide.length + 4);
    Set<Long> model = new HashSet<>();
    for (long element : wide) {
      assertThat(set.add(element)).isEqualTo(model.add(element));
      assertThat(set.add(element)).isFalse();
    }
    assertThat(set.add(low)).isEqualTo(model.add(low));
    assertThat(set.add(0)).isEqualTo(model.add(0L));
  }

  @Property
  void theLastAddedNumberCanBeRemoved(
      @ForAll @Size(max = 300) long[] kept, @ForAll @Size(max = 300) long[] removed) {
    LongSet set = new LongSet(kept.length + removed.length);
    Set<Long> model = new HashSet<>();
    for (long element : kept) {
      assertThat(set.add(element)).isEqualTo(model.add(element));
    }
    Deque<Long> newest = new ArrayDeque<>();
    for (long element : removed) {
      if (set.add(element)) {
        newest.push(element);
      }
    }
    newest.forEach(set::removeNewest);
    for (long element : removed) {
      assertThat(set.add(element)).isEqualTo(model.add(element));
    }
    for (long element : kept) {
      assertThat(set.add(element)).isFalse();
    }
  }
}
