package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import java.util.List;
import java.util.Locale;

/** Measures how much heap an open filter takes. */
public final class MirrorMemory implements Measurement {

  private static final String BARE = "m / 8 bytes";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    String schema = "perf_memory";
    long capacity = bench.scale().memoryOfKeys();
    int rounds = bench.scale().rounds();
    double[] used = new double[rounds];
    double[] bare = new double[rounds];
    try (HikariDataSource pool = bench.database().emptySchema(schema).pool(2);
        SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      bloom.reserve("seen", SlotbloomKeys.spec(capacity, Peers.FALSE_POSITIVE_RATE)).close();
      for (int round = 0; round < rounds; round++) {
        long before = HeapUse.bytes();
        try (BloomFilter<String> filter =
            bloom.open("seen", SlotbloomKeys.spec(capacity, Peers.FALSE_POSITIVE_RATE))) {
          used[round] = HeapUse.bytes() - before;
          bare[round] = bloom.info("seen").generations().get(0).bits() / 8.0;
        }
      }
    }
    bench.database().dropSchema(schema);
    report.add(
        new Comparison(
            String.format(Locale.ROOT, "Heap of an open filter for %,d keys", capacity),
            "bytes",
            Better.LOWER,
            List.of(new Series("Slotbloom", "", used), new Series(BARE, "", bare)),
            List.of(new Goal("Slotbloom", BARE, 1 / 1.05, "at most 5 % more"))));
  }
}
