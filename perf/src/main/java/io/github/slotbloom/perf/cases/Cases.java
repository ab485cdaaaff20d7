package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.PerfCase;
import java.util.List;

/** Lists all measurements in the order in which they run. */
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
