package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.testing.Crowd;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Processes that add the same keys to a window at the same time, add them again later, and ask for
 * them. No call may fail. Within the length of the window a key has one winner, and is found.
 */
final class ContestedWindow {

  private static final Duration LENGTH = Duration.ofSeconds(100);
  private static final int BUCKETS = 50;
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** More than a test gets through. */
  private static final int KEYS = 1_000_000;

  /** Of each process. */
  private static final int THREADS = 2;

  /** Keys are added again, and asked for, among so many of the last. */
  private static final int RECENT = 5_000;

  /** What is certain, with something left for clocks that do not run alike. */
  private static final long CERTAIN_NANOS = LENGTH.minusSeconds(2).toNanos();

  /** The add by which a key was new, in nanoseconds of {@link System#nanoTime}. */
  private record Win(long begun, long ended) {}

  private final List<BloomFilter<String>> filters;
  private final AtomicInteger offered = new AtomicInteger();
  private final AtomicInteger rounds = new AtomicInteger();
  private final AtomicReferenceArray<Win> wins = new AtomicReferenceArray<>(KEYS);
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private final Crowd crowd;
  private volatile boolean stopped;

  /**
   * Starts to add and to ask.
   *
   * @param filters one filter, opened once for each process
   */
  ContestedWindow(List<BloomFilter<String>> filters) {
    this.filters = List.copyOf(filters);
    crowd =
        Crowd.of(
            THREADS * filters.size(),
            number -> {
              BloomFilter<String> filter = filters.get(number / THREADS);
              while (!stopped) {
                add(filter, offered.getAndIncrement() / filters.size());
                add(filter, recent());
                ask(filter, recent());
                rounds.incrementAndGet();
              }
            });
  }

  /** Returns the specification of a filter for this. */
  static FilterSpec<String> spec() {
    return SharedFilter.exact().window(LENGTH, BUCKETS).build();
  }

  private static String key(int number) {
    return "key " + number;
  }

  private int recent() {
    int end = offered.get() / filters.size() + 1;
    return ThreadLocalRandom.current().nextInt(Math.max(0, end - RECENT), end);
  }

  private void add(BloomFilter<String> filter, int number) {
    long begun = System.nanoTime();
    if (filter.add(key(number))) {
      Win win = new Win(begun, System.nanoTime());
      Win before = wins.getAndSet(number, win);
      if (before != null && win.ended() - before.begun() < CERTAIN_NANOS) {
        violations.add("two winners of " + key(number) + ": " + before + " and " + win);
      }
    }
  }

  private void ask(BloomFilter<String> filter, int number) {
    Win win = wins.get(number);
    if (win != null
        && !filter.mightContain(key(number))
        && System.nanoTime() - win.begun() < CERTAIN_NANOS) {
      violations.add(key(number) + " was denied after " + win);
    }
  }

  /** Waits until each thread has been through its calls some more times. */
  void awaitProgress(int calls) {
    int before = rounds.get();
    await()
        .atMost(PATIENCE)
        .failFast(() -> assertThat(violations).isEmpty())
        .until(() -> rounds.get() >= before + calls);
  }

  /** Ends the threads after the calls that are under way. */
  void stop() {
    stopped = true;
  }

  /** Stops the threads, waits for them, closes the filters, and checks what was promised. */
  void check(SlotBloom bloom) throws InterruptedException {
    stop();
    crowd.join(PATIENCE);
    assertThat(violations).isEmpty();
    // Who has it open goes on to begin buckets, and a verification may take longer than one lasts.
    filters.forEach(BloomFilter::close);
    assertThat(bloom.admin(filters.get(0).name()).verify(VerifyOptions.defaults()).findings())
        .isEmpty();
  }
}
