package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.PerfCase;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Lists all cases in the order in which they run. */
public final class Cases {

  private static final List<PerfCase> ALL =
      List.of(
          new PerfCase("statements", "What an operation sends", new Statements()),
          addInBatches(1_000, true),
          addInBatches(10_000, false),
          new PerfCase(
              "add-batch-threads",
              "`addEach`, 1,000 keys a call, four callers",
              new AddFromThreads(4, 1_000)),
          new PerfCase("add-one", "`add`, one thread", new AddFromThreads(1, 1)),
          new PerfCase(
              "add-threads",
              "`add`, " + AddFromThreads.MANY + " threads",
              new AddFromThreads(AddFromThreads.MANY, 1)),
          new PerfCase(
              "ask-absent",
              "`mightContain` of absent keys, " + AskAbsent.THREADS + " threads",
              new AskAbsent()),
          new PerfCase("latency", "One caller who calls now and then", new Latency()),
          new PerfCase("penetration", "Keys that a guarded table does not have", new Penetration()),
          new PerfCase("mirror-memory", "Memory of a mirror", new MirrorMemory()),
          new PerfCase("storage", "Database bytes a key", new Storage()),
          new PerfCase("fold", "Folding a backlog", new Folding()),
          new PerfCase("sight", "From an add in one instance to its sight in another", new Sight()),
          new PerfCase(
              "false-positive-rate",
              "False positive rate of full filters",
              new FalsePositiveRates()),
          new PerfCase("curve-threads", "Rates over the number of threads", new OverThreads()),
          new PerfCase("curve-size", "Rates over the number of keys in the filter", new OverSize()),
          new PerfCase("mirror-load", "Loading a mirror", new MirrorLoad()),
          new PerfCase("memory", "`mightContain` answered by memory, one thread", new Memory()),
          new PerfCase("metered", "Calls that memory answers, with meters", new Metered()),
          removal(1_000),
          removal(1),
          new PerfCase(
              "removal-look",
              "Lookups of a removable filter, and removals that wait instead",
              new RemovalLook()),
          new PerfCase("removal-space", "What removable filters take", new RemovalSpace()),
          new PerfCase(
              "removal-false", "Removals of keys that were never added", new FalseRemovals()),
          new PerfCase("dedup", "`slotbloom dedup`", new Dedup()),
          new PerfCase("redis-clients", "Redis clients", new RedisClients()),
          new PerfCase(
              "growth", "`add` and `mightContain` while a filter grows", new WhileGrowing()),
          new PerfCase("window-day", "Days of keys that expire after a week", new WindowDay()),
          new PerfCase(
              "window-buckets",
              "Lookups to memory over the buckets of a window",
              new WindowBuckets()),
          new PerfCase(
              "window-edge", "`add` and `mightContain` while a bucket begins", new WindowEdge()),
          new PerfCase("window-flat", "Disk and memory of a window", new WindowFlat()),
          new PerfCase("partitions", "Adds to filters of several parts", new Partitions()),
          new PerfCase("loading", "Ways to fill a filter", new LoadingWays()),
          new PerfCase("sustained", "`addEach` without a pause", new Sustained()));

  /**
   * A quick look is too short for these: two batches more, a difference of 2 %, the 99 % of single
   * seconds, fifty clients of one more process, two servers, and minutes without a pause.
   */
  private static final Set<String> NOT_QUICK =
      Set.of(
          "add-batch-10000",
          "add-batch-threads",
          "metered",
          "redis-clients",
          "window-edge",
          "partitions",
          "sustained");

  private Cases() {}

  public static List<PerfCase> all() {
    return ALL;
  }

  /** Returns the cases of a quick look. The others can be quick, too, if they are asked for. */
  public static List<PerfCase> quick() {
    return ALL.stream().filter(one -> !NOT_QUICK.contains(one.id())).toList();
  }

  private static PerfCase addInBatches(int batch, boolean hasPeerGoals) {
    return new PerfCase(
        "add-batch-" + batch,
        String.format(Locale.ROOT, "`addEach`, %,d keys a call, one caller", batch),
        new AddInBatches(batch, hasPeerGoals));
  }

  private static PerfCase removal(int batch) {
    return new PerfCase(
        "removal-" + batch,
        batch == 1
            ? "Keys added and removed, one a call"
            : String.format(Locale.ROOT, "Keys added and removed, %,d a call", batch),
        new Removal(batch));
  }
}
