package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.memory.Asked;
import io.github.slotbloom.perf.memory.KeyKind;
import io.github.slotbloom.perf.memory.MemorySetup;
import io.github.slotbloom.perf.memory.SlotbloomMemory;
import io.github.slotbloom.perf.report.CaseReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Compares calls that memory answers with and without meters of the filter. */
public final class Metered implements Measurement {

  private static final int KEYS = 1_000_000;
  private static final String WITH = "with meters";
  private static final String WITHOUT = "without meters";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Path account = bench.files().resolve("account-metered");
    bench.database().account(FilledFilters.SCHEMA).write(account);
    String filter = FilledFilters.of(bench, KeyKind.TEXT.type(), KeyKind.TEXT::key, KEYS, KEYS);
    for (String method : List.of("mightContain", "add")) {
      Contest contest = new Contest("`" + method + "` of a key in the mirror", "ns", Better.LOWER);
      for (boolean metered : new boolean[] {true, false}) {
        MemoryFork fork =
            new MemoryFork(
                bench,
                KeyKind.TEXT,
                KEYS,
                Map.of(
                    MemorySetup.ACCOUNT, account,
                    MemorySetup.FILTER, filter,
                    MemorySetup.METERED, metered));
        contest.enter(
            metered ? WITH : WITHOUT,
            "each add was synced",
            round -> fork.run(SlotbloomMemory.class, method, Asked.PRESENT).nanos());
      }
      contest.goal(WITHOUT, 0.98, "at most 2 % more time");
      report.add(contest.run(0, bench.scale().memoryRounds()));
    }
    report.note("A registry of Micrometer is bound. Nobody reads it meanwhile.");
  }
}
