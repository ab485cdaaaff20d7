package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.memory.Asked;
import io.github.slotbloom.perf.memory.GuavaMemory;
import io.github.slotbloom.perf.memory.KeyKind;
import io.github.slotbloom.perf.memory.MemorySetup;
import io.github.slotbloom.perf.memory.SlotbloomMemory;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Compares answers from memory with Guava's. Each round forks a JVM for each contestant. */
public final class Memory implements Measurement {

  private static final long FEW_KEYS = 1_000_000;
  private static final String SLOTBLOOM = "Slotbloom";
  private static final String GUAVA = "Guava";
  private static final String NOTHING_KEPT = "none: one process, in memory";

  private final Map<String, Double> allocated = new TreeMap<>();

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    for (long keys : bench.scale().memoryKeys()) {
      for (KeyKind kind : KeyKind.values()) {
        // A hundred million keys of each kind would take an hour, and their filters are alike.
        boolean ofAllKinds = keys == FEW_KEYS && !bench.scale().isQuick();
        if (kind == KeyKind.TEXT || ofAllKinds) {
          measure(bench, kind, keys, report);
        }
      }
    }
    report.add(
        new Table(
            "Allocated by one lookup, by the GC profiler of JMH",
            List.of("lookup", "bytes"),
            allocated.entrySet().stream()
                .map(one -> List.of(one.getKey(), Figures.of(Math.rint(one.getValue() * 10) / 10)))
                .toList()));
  }

  private void measure(Bench bench, KeyKind kind, long keys, CaseReport report) throws Exception {
    Path account = bench.files().resolve("account");
    bench.database().account(FilledFilters.SCHEMA).write(account);
    String filter = FilledFilters.of(bench, kind.type(), kind::key, keys, keys);
    Path guava = bench.files().resolve("guava-" + kind + "-" + keys);
    GuavaMemory.write(guava, kind, keys, Peers.FALSE_POSITIVE_RATE);
    MemoryFork fork =
        new MemoryFork(
            bench,
            kind,
            keys,
            Map.of(
                MemorySetup.ACCOUNT, account,
                MemorySetup.FILTER, filter,
                MemorySetup.GUAVA, guava));
    Comparison present = lookups(fork, Asked.PRESENT);
    Comparison absent = lookups(fork, Asked.ABSENT);
    report.add(present.beside(absent));
    report.add(absent.beside(present));
    if (kind == KeyKind.TEXT && !bench.scale().isQuick()) {
      report.add(batches(bench, keys, fork));
    }
    Files.delete(guava);
  }

  private Comparison lookups(MemoryFork fork, Asked asked) throws Exception {
    String lookup =
        String.format(
            Locale.ROOT,
            "`mightContain(%s)`, %s, %,d keys",
            fork.kind().name().toLowerCase(Locale.ROOT),
            asked.name().toLowerCase(Locale.ROOT),
            fork.keys());
    Contest contest = new Contest(lookup, "ns", Better.LOWER);
    contest.enter(
        SLOTBLOOM,
        "each add was synced",
        round ->
            allocating(
                lookup + ", Slotbloom", fork.run(SlotbloomMemory.class, "mightContain", asked)));
    contest.enter(
        GUAVA,
        NOTHING_KEPT,
        round ->
            allocating(lookup + ", Guava", fork.run(GuavaMemory.class, "mightContain", asked)));
    if (fork.kind() == KeyKind.TEXT) {
      if (fork.keys() == FEW_KEYS) {
        contest.goal(GUAVA, 2.5, "2.5 times as fast");
      } else {
        contest.goal(GUAVA, 2, "twice as fast");
      }
    }
    return contest.run(0, fork.bench().scale().memoryRounds());
  }

  private static Comparison batches(Bench bench, long keys, MemoryFork fork) throws Exception {
    Contest contest =
        new Contest(
            String.format(
                Locale.ROOT, "A thousand texts at once, present, %,d keys, per key", keys),
            "ns",
            Better.LOWER);
    for (String method : List.of("mightContainEach", "mightContainInALoop")) {
      contest.enter(
          "Slotbloom " + method,
          "each add was synced",
          round -> fork.run(SlotbloomMemory.class, method, Asked.PRESENT).nanos());
    }
    return contest.run(0, bench.scale().memoryRounds());
  }

  private double allocating(String lookup, MemoryFork.Measured measured) {
    allocated.merge(lookup, measured.bytes(), Math::max);
    return measured.nanos();
  }
}
