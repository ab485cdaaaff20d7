package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.PerfCase;
import java.util.List;

/** All that can be measured, in the order in which it is. */
public final class Cases {

  private static final List<PerfCase> ALL =
      List.of(
          new Statements(),
          new AddInBatches(1_000, true),
          new AddInBatches(10_000, false),
          new AddFromThreads(),
          new AskAbsent(),
          new MirrorMemory(),
          new Storage(),
          new Folding(),
          new Sight(),
          new ErrorRates(),
          new OverThreads(),
          new OverSize(),
          new MirrorLoad(),
          new Memory(),
          new Dedup(),
          new WhileGrowing(),
          new Sustained());

  private Cases() {}

  public static List<PerfCase> all() {
    return ALL;
  }
}
