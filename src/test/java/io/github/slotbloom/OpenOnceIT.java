package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A filter that is opened again by the same process is the same one, counted. */
@DatabaseContract
class OpenOnceIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(0.01).build();

  @Fixture private static SlotBloom bloom;
  @Fixture private static TestSchema schema;

  @Test
  void whatOneAddsTheOthersAnswerFromMemory() {
    try (BloomFilter<String> first = bloom.openOrReserve("shared", SPEC);
        BloomFilter<String> again = bloom.open("shared", KeyType.text())) {
      assertThat(first.add("a")).isTrue();
      assertThat(again.add("a")).isFalse();
      assertThat(again.statistics().usage().seenKeys()).isEqualTo(1);
      assertThat(first.statistics().usage()).isEqualTo(again.statistics().usage());
      // Only the key that was new had to wait for the database.
      assertThat(again.statistics().waited()).isEqualTo(1);
    }
  }

  @Test
  void closingEndsTheUseByThatHandleAlone() {
    BloomFilter<String> first = bloom.openOrReserve("counted", SPEC);
    BloomFilter<String> again = bloom.open("counted", SPEC);
    BlockList<String> list = first.blockList();
    first.close();
    first.close();
    assertThatThrownBy(() -> first.add("a")).isInstanceOf(FilterClosedException.class);
    assertThatThrownBy(() -> list.isBlocked("a")).isInstanceOf(FilterClosedException.class);
    assertThat(again.add("a")).isTrue();
    again.close();
    assertThatThrownBy(() -> again.add("b")).isInstanceOf(FilterClosedException.class);
    try (BloomFilter<String> anew = bloom.open("counted", SPEC)) {
      assertThat(anew.add("a")).isFalse();
      assertThat(anew.statistics().usage().newKeys()).isZero();
    }
  }

  @Test
  void otherOptionsAreForTheHandleAlone() {
    FilterOptions hasty = FilterOptions.defaults().timeout(Duration.ofSeconds(7));
    try (BloomFilter<String> first = bloom.openOrReserve("options", SPEC);
        BloomFilter<String> other = bloom.open("options", SPEC, hasty);
        BloomFilter<String> direct =
            bloom.open("options", SPEC, FilterOptions.defaults().withoutMirror())) {
      assertThat(first.add("a")).isTrue();
      assertThat(other.add("a")).isFalse();
      assertThat(direct.add("a")).isFalse();
      assertThat(direct.statistics().mirror()).isEmpty();
      assertThat(List.of(first, other, direct))
          .extracting(each -> each.statistics().usage().newKeys())
          .containsExactly(1L, 0L, 0L);
    }
  }

  @Test
  void theListenerIsToldOfOneFilter() {
    List<String> told = new ArrayList<>();
    SlotBloomListener listener =
        event -> {
          if (event instanceof SlotBloomEvent.Opened opened) {
            told.add("opened " + opened.of().name());
          } else if (event instanceof SlotBloomEvent.Closed closed) {
            told.add(
                "closed "
                    + closed.of().name()
                    + " with "
                    + closed.of().statistics().usage().newKeys());
          }
        };
    try (SlotBloom telling = SlotBloom.builder(schema.dataSource()).listener(listener).build()) {
      BloomFilter<String> first = telling.openOrReserve("told", SPEC);
      BloomFilter<String> again = telling.open("told", SPEC);
      first.add("a");
      first.close();
      again.add("b");
      assertThat(told).containsExactly("opened told");
      again.close();
      assertThat(told).containsExactly("opened told", "closed told with 2");
    }
    assertThat(told).hasSize(2);
  }

  /** What has the name of a filter that is gone is another filter. */
  @Test
  void aFilterThatTookTheNameIsAnother() {
    try (BloomFilter<String> before = bloom.openOrReserve("name", SPEC)) {
      assertThat(before.add("a")).isTrue();
      bloom.admin("name").drop();
      try (BloomFilter<String> after = bloom.openOrReserve("name", SPEC)) {
        assertThat(after.add("a")).isTrue();
      }
    }
  }

  @Test
  void threadsThatOpenAtOnceGetTheSame() throws Exception {
    bloom.reserve("crowd", SPEC).close();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<BloomFilter<String>>> opened =
          IntStream.range(0, 100)
              .mapToObj(i -> threads.submit(() -> bloom.open("crowd", SPEC)))
              .toList();
      long fresh = 0;
      for (Future<BloomFilter<String>> each : opened) {
        fresh += each.get().add("a") ? 1 : 0;
      }
      assertThat(fresh).isEqualTo(1);
      assertThat(opened.get(0).get().statistics().usage().seenKeys()).isEqualTo(99);
      for (Future<BloomFilter<String>> each : opened) {
        each.get().close();
      }
    } finally {
      threads.shutdown();
    }
  }
}
