package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter with more bits than any memory, of which no slot is stored before a key needs it. */
@DatabaseContract
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class LargeFilterIT {

  private static final FilterOptions WITHOUT_MIRROR = FilterOptions.defaults().withoutMirror();

  @Fixture private static SlotBloom bloom;

  /** 2^38 keys: some hundred GiB of bits. */
  private static FilterSpec.Builder<String> huge() {
    return FilterSpec.builder(KeyType.text())
        .capacity(1L << 38)
        .falsePositiveRate(0.01)
        .layout(Layout.STANDARD);
  }

  @Test
  @Timeout(45)
  void aLargeFilterWorksAtOnceWithoutAMirror() {
    BloomFilter<String> filter = bloom.reserve("at_once", huge().build(), WITHOUT_MIRROR);
    assertThat(filter.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
    assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsExactly(true, true, false);
    bloom.admin(filter.name()).fold();
    assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsExactly(true, true, false);
    FilterInfo info = bloom.info(filter.name());
    assertThat(info.capacity()).isEqualTo(1L << 38);
    assertThat(info.estimatedKeys()).isBetween(1.9, 2.1);
    assertThat(info.currentFalsePositiveRate()).isBetween(0.0, 1e-12);
  }

  @Test
  void aMirrorOfALargeFilterIsRefusedWithItsSizeAndTheRemedy() {
    FilterSpec<String> spec = huge().build();
    bloom.reserve("huge", spec, WITHOUT_MIRROR).add("a");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> bloom.open("huge", spec),
            () -> bloom.open("huge", KeyType.text()),
            () -> bloom.openOrReserve("huge", spec))) {
      assertRefused(call, "huge", spec);
    }
    assertThat(bloom.open("huge", spec, WITHOUT_MIRROR).mightContain("a")).isTrue();
  }

  @Test
  void aFilterThatCannotBeOpenedIsNotReserved() {
    FilterSpec<String> spec = huge().build();
    assertRefused(() -> bloom.reserve("unborn", spec), "unborn", spec);
    assertRefused(() -> bloom.openOrReserve("unborn", spec), "unborn", spec);
    assertThat(bloom.names()).doesNotContain("unborn");
    assertThat(bloom.reserve("unborn", spec, WITHOUT_MIRROR).add("a")).isTrue();
  }

  private static void assertRefused(ThrowingCallable call, String name, FilterSpec<?> spec) {
    long mebibytes = spec.parameters().bytes() >> 20;
    assertThat(mebibytes).isGreaterThan(Runtime.getRuntime().maxMemory() >> 20);
    assertThatThrownBy(call)
        .isInstanceOf(MirrorTooLargeException.class)
        .hasMessageContaining("filter %s takes %,d MiB".formatted(name, mebibytes))
        .hasMessageContaining("at most 16 GiB per generation")
        .hasMessageContaining("without a mirror");
  }

  /** Its mirror could not take in the beginning, and need not when it is over. */
  @Test
  void aProcessWithoutRoomForAReplacementGoesOnAfterIt() throws Exception {
    List<String> keys = List.of("a", "b");
    BloomFilter<String> filter =
        bloom.reserve(
            "outgrown",
            FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(1e-6).build());
    filter.addEach(keys);
    try (HeldReplacement replacing = new HeldReplacement(bloom, "outgrown", 1L << 36, keys)) {
      assertThatThrownBy(() -> filter.mightContain("c"))
          .isInstanceOf(MirrorTooLargeException.class);
      assertThatThrownBy(() -> filter.mightContain("c"))
          .isInstanceOf(MirrorTooLargeException.class);
      bloom.admin("outgrown").abortReplacement();
      assertThat(filter.mightContainEach(List.of("a", "b", "c")))
          .containsExactly(true, true, false);
      assertThat(filter.add("c")).isTrue();
      assertThatThrownBy(replacing::finish).hasCauseInstanceOf(ReplacementException.class);
    }
  }
}
