package io.github.slotbloom.perf.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread that commits what others queue: whatever waits when it has ended a transaction goes
 * into the next one. It does not wait for more.
 */
public final class GroupCommit implements AutoCloseable {

  /** A transaction with the first keys of an array. */
  @FunctionalInterface
  public interface Transaction {
    void commit(long[] keys, int count) throws Exception;
  }

  /** A caller that waits. */
  private static final class Waiting {
    private final long key;
    private final Thread caller = Thread.currentThread();
    private volatile boolean isDone;
    private @Nullable Exception failure;

    Waiting(long key) {
      this.key = key;
    }
  }

  private final Queue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private final Transaction transaction;
  private final Thread committer = new Thread(this::run, "group commit");
  private volatile boolean rests;
  private volatile boolean isClosed;

  public GroupCommit(Transaction transaction) {
    this.transaction = transaction;
    committer.start();
  }

  /** Returns after the commit of the transaction with the key. */
  public void add(long key) throws Exception {
    Waiting waiting = new Waiting(key);
    queue.add(waiting);
    if (rests) {
      LockSupport.unpark(committer);
    }
    while (!waiting.isDone) {
      LockSupport.park(this);
    }
    if (waiting.failure != null) {
      throw new IllegalStateException("Not committed.", waiting.failure);
    }
  }

  /** {@return how many wait for the next transaction} */
  int waiting() {
    return queue.size();
  }

  private void run() {
    List<Waiting> group = new ArrayList<>();
    long[] keys = new long[JdbcFloor.MOST_KEYS_IN_A_ROW];
    while (!isClosed || !queue.isEmpty()) {
      while (group.size() < keys.length) {
        Waiting next = queue.poll();
        if (next == null) {
          break;
        }
        keys[group.size()] = next.key;
        group.add(next);
      }
      if (group.isEmpty()) {
        rest();
      } else {
        commit(group, keys);
        group.clear();
      }
    }
  }

  private void rest() {
    rests = true;
    if (queue.isEmpty() && !isClosed) {
      LockSupport.park(this);
    }
    rests = false;
  }

  private void commit(List<Waiting> group, long[] keys) {
    Exception failure = null;
    try {
      transaction.commit(keys, group.size());
    } catch (Exception e) {
      failure = e;
    }
    for (Waiting one : group) {
      one.failure = failure;
      one.isDone = true;
      LockSupport.unpark(one.caller);
    }
  }

  /** Ends the thread. Nobody may add anymore. */
  @Override
  public void close() throws InterruptedException {
    isClosed = true;
    LockSupport.unpark(committer);
    committer.join();
  }
}
