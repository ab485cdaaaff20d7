package io.github.slotbloom.perf.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GroupCommitTest {

  private static final int THREADS = 8;
  private static final int EACH = 1_000;

  /** Written by the committing thread alone. */
  private final List<long[]> committed = new ArrayList<>();

  @Test
  void eachKeyIsCommittedOnce() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try (GroupCommit committer = new GroupCommit(this::commit)) {
      List<Future<?>> adding = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        long first = (long) thread * EACH;
        adding.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < EACH; i++) {
                    committer.add(first + i);
                  }
                  return null;
                }));
      }
      for (Future<?> one : adding) {
        one.get();
      }

      assertThat(committed.stream().flatMapToLong(Arrays::stream).sorted().toArray())
          .isEqualTo(LongStream.range(0, (long) THREADS * EACH).toArray());
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void waitingKeysAreCommittedTogether() throws Exception {
    CountDownLatch firstIsUnderWay = new CountDownLatch(1);
    CountDownLatch firstMayEnd = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try (GroupCommit committer =
        new GroupCommit(
            (keys, count) -> {
              commit(keys, count);
              firstIsUnderWay.countDown();
              firstMayEnd.await();
            })) {
      List<Future<?>> adding = new ArrayList<>();
      adding.add(pool.submit(() -> add(committer, 1)));
      firstIsUnderWay.await();
      adding.add(pool.submit(() -> add(committer, 2)));
      adding.add(pool.submit(() -> add(committer, 3)));
      while (committer.waiting() < 2) {
        Thread.onSpinWait();
      }
      firstMayEnd.countDown();
      for (Future<?> one : adding) {
        one.get();
      }
    } finally {
      pool.shutdownNow();
    }

    assertThat(committed).extracting(keys -> keys.length).containsExactly(1, 2);
  }

  @Test
  void aFailedTransactionFailsItsCallers() throws Exception {
    try (GroupCommit committer =
        new GroupCommit(
            (keys, count) -> {
              throw new IllegalStateException("no server");
            })) {
      assertThatThrownBy(() -> committer.add(1)).hasRootCauseMessage("no server");
    }
  }

  private static Void add(GroupCommit committer, long key) throws Exception {
    committer.add(key);
    return null;
  }

  private void commit(long[] keys, int count) {
    committed.add(Arrays.copyOf(keys, count));
  }
}
