package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.Removing;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Processes that add and remove the same keys at the same time, until they are stopped. No call may
 * fail. A key is there as often as somebody was told that it is new, less as often as somebody was
 * told to have removed it.
 */
final class ContestedRemovals {

  private static final int KEYS = 20;

  private final List<BloomFilter<String>> filters;
  private final List<AtomicInteger> present =
      IntStream.range(0, KEYS).mapToObj(number -> new AtomicInteger()).toList();
  private final AtomicInteger calls = new AtomicInteger();
  private final Crowd crowd;
  private volatile boolean stopped;

  /**
   * Starts to add and to remove.
   *
   * @param filters one filter, opened once for each process
   */
  ContestedRemovals(List<BloomFilter<String>> filters) {
    this.filters = List.copyOf(filters);
    crowd =
        Crowd.of(
            filters.size(),
            process -> {
              for (int i = 0; !stopped; i++) {
                call(filters.get(process), i);
              }
            });
  }

  /** Returns the specification of a filter for this. */
  static FilterSpec<String> spec() {
    return SharedFilter.exact().capacity(20_000).retainHashes().buildRemovable();
  }

  private static String key(int number) {
    return "removable " + number;
  }

  /** All processes add all keys, then remove all of them, and so on. */
  private void call(BloomFilter<String> filter, int number) {
    int key = number % KEYS;
    if (number / KEYS % 2 == 0) {
      if (filter.add(key(key))) {
        present.get(key).incrementAndGet();
      }
    } else if (Removing.from(filter).remove(key(key))) {
      present.get(key).decrementAndGet();
    }
    calls.incrementAndGet();
  }

  /** Waits until so many more calls have returned. */
  void awaitProgress(int more) {
    int before = calls.get();
    await()
        .atMost(SharedFilter.TIMEOUT)
        .failFast(crowd::requireNoFailure)
        .until(() -> calls.get() >= before + more);
  }

  /** Ends the threads after the calls that are under way. */
  void stop() {
    stopped = true;
  }

  /** Stops the threads, waits for them, and checks what was promised. */
  void check(SlotBloom bloom) throws InterruptedException {
    stop();
    crowd.join(SharedFilter.TIMEOUT);
    for (int number = 0; number < KEYS; number++) {
      assertThat(present.get(number).get()).as(key(number)).isBetween(0, 1);
      for (BloomFilter<String> filter : filters) {
        assertThat(filter.mightContain(key(number)))
            .as(key(number))
            .isEqualTo(present.get(number).get() == 1);
      }
    }
    BloomFilter<String> filter = filters.get(0);
    assertThat(bloom.info(filter.name()).keysAdded())
        .as("keys")
        .isEqualTo(present.stream().mapToInt(AtomicInteger::get).sum());
    assertThat(bloom.admin(filter.name()).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }
}
