package io.github.slotbloom.resp.command;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The clients that are connected. Thread-safe. */
public final class Sessions {

  private final AtomicLong last = new AtomicLong();
  private final Set<Session> open = ConcurrentHashMap.newKeySet();
  private final @Nullable Password password;
  private final int most;

  /**
   * Creates an empty set.
   *
   * @param password that clients have to give; null if none
   * @param most clients at a time
   */
  public Sessions(@Nullable Password password, int most) {
    this.password = password;
    this.most = most;
  }

  /**
   * Lets a client in.
   *
   * @param address of the client
   * @param thread that of its connection
   * @return null if there are as many as may be
   */
  public @Nullable Session open(String address, Executor thread) {
    Session session = new Session(last.incrementAndGet(), address, thread, password == null);
    open.add(session);
    if (open.size() > most) {
      open.remove(session);
      return null;
    }
    return session;
  }

  /** Takes in that a client is gone. */
  public void close(Session session) {
    open.remove(session);
  }

  @Nullable Password password() {
    return password;
  }

  int most() {
    return most;
  }

  /** Returns how many there are. */
  public int count() {
    return open.size();
  }

  /** Returns how many have connected since the beginning, those that were sent away included. */
  public long opened() {
    return last.get();
  }

  List<Session> all() {
    return open.stream().sorted(Comparator.comparingLong(Session::id)).toList();
  }
}
