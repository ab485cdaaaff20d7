package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.testing.Crowd;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Processes that add the same keys at the same time, and ask for those that were acknowledged. They
 * go on until they are stopped. No add may fail: the primary has to be found within the timeout of
 * the filters.
 */
final class ContestedKeys {

  /** More than a test gets through. */
  static final int CAPACITY = 1_000_000;

  private static final Duration PATIENCE = Duration.ofMinutes(8);

  /** Of each process. */
  private static final int THREADS = 2;

  private final List<BloomFilter<String>> filters;
  private final AtomicInteger offered = new AtomicInteger();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicIntegerArray winners = new AtomicIntegerArray(CAPACITY);
  private final Queue<String> denied = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answers = new AtomicInteger();
  private final Crowd crowd;
  private volatile boolean stopped;

  /**
   * Starts to add and to ask.
   *
   * @param filters one filter, opened once for each process; each has two threads
   */
  ContestedKeys(List<BloomFilter<String>> filters) {
    this.filters = List.copyOf(filters);
    crowd =
        Crowd.of(
            THREADS * filters.size(),
            number -> {
              BloomFilter<String> filter = filters.get(number / THREADS);
              while (!stopped) {
                add(filter);
                ask(filter);
              }
            });
  }

  static String key(int number) {
    return "key " + number;
  }

  /** Each key is added by several threads, one right after the other. */
  private void add(BloomFilter<String> filter) {
    int number = offered.getAndIncrement() / filters.size();
    if (filter.add(key(number))) {
      winners.incrementAndGet(number);
    }
    acknowledged.accumulateAndGet(number - THREADS * filters.size(), Math::max);
  }

  /** A key that is far enough behind was acknowledged by somebody, unless that add still waits. */
  private void ask(BloomFilter<String> filter) {
    int keys = acknowledged.get();
    if (keys <= 0) {
      return;
    }
    int number = ThreadLocalRandom.current().nextInt(keys);
    if (winners.get(number) == 0) {
      return;
    }
    if (!filter.mightContain(key(number))) {
      denied.add(key(number));
    }
    answers.incrementAndGet();
  }

  /** Waits until so many more keys are added and so many more lookups answered. */
  void awaitProgress(int keys) {
    int addedBefore = acknowledged.get();
    int answeredBefore = answers.get();
    try {
      await()
          .atMost(PATIENCE)
          .failFast(this::requireNoFailure)
          .until(
              () ->
                  acknowledged.get() >= addedBefore + keys
                      && answers.get() >= answeredBefore + keys);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "%s keys were added and %s lookups answered. The threads are here:%n%s"
              .formatted(
                  acknowledged.get() - addedBefore,
                  answers.get() - answeredBefore,
                  String.join("\n", crowd.stacks())),
          e);
    }
  }

  private void requireNoFailure() {
    assertThat(denied).as("acknowledged keys that a strict lookup denied").isEmpty();
    crowd.requireNoFailure();
  }

  /** Returns a key that somebody was told is new, and that was added as one of the last. */
  String recent() {
    int number = acknowledged.get();
    while (winners.get(number) == 0) {
      number--;
    }
    return key(number);
  }

  /** Returns true if there is not much room for further keys. */
  boolean isNearlyUsedUp() {
    return acknowledged.get() > CAPACITY * 9L / 10;
  }

  /** Ends the threads after the calls that are under way. */
  void stop() {
    stopped = true;
  }

  /** Stops the threads, and waits for the calls that are under way. */
  void join() throws InterruptedException {
    stop();
    crowd.join(PATIENCE);
  }

  /** Stops the threads, waits for them, and checks what was promised. */
  void check(SlotBloom bloom) throws InterruptedException {
    join();
    requireNoFailure();
    int keys = (offered.get() + filters.size() - 1) / filters.size();
    for (int number = 0; number < keys; number++) {
      assertThat(winners.get(number)).as("winners of " + key(number)).isEqualTo(1);
    }
    BloomFilter<String> filter = filters.get(0);
    assertThat(
            filter.mightContainEach(IntStream.range(0, keys).mapToObj(ContestedKeys::key).toList()))
        .doesNotContain(false);
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(keys);
    assertThat(bloom.admin(filter.name()).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  /** Asks until there is an answer, which has to be yes; or until the database is given up. */
  static void assertNeverDenied(BloomFilter<String> filter, String key) {
    try {
      assertThat(filter.mightContain(key)).as("the answer for an acknowledged key").isTrue();
    } catch (FilterUnavailableException e) {
      // A server that cannot know gives no answer.
    }
  }
}
