package io.github.slotbloom.perf.cases;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** Measures how much heap is in use once the collector has taken what nobody uses. */
final class HeapUse {

  private static final int COLLECTIONS = 3;

  private HeapUse() {}

  static long bytes() throws InterruptedException {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    for (int i = 0; i < COLLECTIONS; i++) {
      memory.gc();
      Thread.sleep(100);
    }
    return memory.getHeapMemoryUsage().getUsed();
  }
}
