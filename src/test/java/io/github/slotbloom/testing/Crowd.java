package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs the same work in many threads at once. */
public final class Crowd {

  /** The work of each thread. */
  public interface Work {
    void run(int number) throws Exception;
  }

  private final CountDownLatch start = new CountDownLatch(1);
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads;

  private Crowd(int size, Work work) {
    threads = IntStream.range(0, size).mapToObj(number -> thread(number, work)).toList();
  }

  /** Starts a number of threads. */
  public static Crowd of(int size, Work work) {
    Crowd crowd = new Crowd(size, work);
    crowd.threads.forEach(Thread::start);
    crowd.start.countDown();
    return crowd;
  }

  private Thread thread(int number, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                start.await();
                work.run(number);
              } catch (Throwable e) {
                failures.add(e);
              }
            },
            "crowd-" + number);
    thread.setDaemon(true);
    return thread;
  }

  /** Fails the test if a thread has failed so far. */
  public void requireNoFailure() {
    assertThat(failures).isEmpty();
  }

  /** Returns where each thread is that has not ended. */
  public List<String> stacks() {
    return threads.stream().filter(Thread::isAlive).map(Crowd::stack).toList();
  }

  /** Waits for all threads. Fails the test and shows the thread if one fails or hangs. */
  public void join(Duration patience) throws InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    for (Thread thread : threads) {
      thread.join(Math.max(1, (until - System.nanoTime()) / 1_000_000));
    }
    requireNoFailure();
    assertThat(stacks()).as("threads that hang").isEmpty();
  }

  private static String stack(Thread thread) {
    return thread.getName()
        + Arrays.stream(thread.getStackTrace())
            .map(frame -> "\n  at " + frame)
            .collect(Collectors.joining());
  }
}
