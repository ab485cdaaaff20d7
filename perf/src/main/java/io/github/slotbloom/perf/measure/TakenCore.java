package io.github.slotbloom.perf.measure;

/** Keeps one core busy until it is closed, as other work on the machine would. */
public final class TakenCore implements AutoCloseable {

  private volatile boolean over;

  /** Takes a core. */
  public TakenCore() {
    Thread thread = new Thread(this::spin, "taken-core");
    thread.setDaemon(true);
    thread.start();
  }

  /** Without {@link Thread#onSpinWait}, since other work does not hint that it waits. */
  private void spin() {
    while (!over) {}
  }

  @Override
  public void close() {
    over = true;
  }
}
