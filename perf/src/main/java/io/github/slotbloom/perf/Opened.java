package io.github.slotbloom.perf;

import java.util.ArrayDeque;
import java.util.Deque;

/** The resources that a case has opened. The last one is closed first. */
public final class Opened implements AutoCloseable {

  private final Deque<AutoCloseable> all = new ArrayDeque<>();

  public <T extends AutoCloseable> T keep(T opened) {
    all.push(opened);
    return opened;
  }

  @Override
  public void close() throws Exception {
    while (!all.isEmpty()) {
      all.pop().close();
    }
  }
}
