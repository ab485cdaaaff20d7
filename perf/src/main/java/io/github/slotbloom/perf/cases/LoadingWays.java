package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.nio.file.Path;
import java.util.Locale;

/** Compares ways to fill a filter: the import of a file, and adding its keys. */
public final class LoadingWays implements Measurement {

  private static final String SCHEMA = "perf_loading";
  private static final int CONNECTIONS = 8;
  private static final int BATCH = 10_000;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    long keys = scale.foldCapacity();
    String filter = FilledFilters.texts(bench, keys, keys);
    bench.database().emptySchema(SCHEMA);
    Path file = bench.files().resolve(filter);
    DatabaseAccount filled = bench.database().account(FilledFilters.SCHEMA);
    try (Opened opened = new Opened()) {
      HikariDataSource pool = opened.keep(filled.pool(CONNECTIONS));
      SlotBloom bloom = opened.keep(SlotBloom.on(pool));
      bloom.admin(filter).exportTo(file);
      SlotbloomKeys added =
          opened.keep(Peers.ours(bench.database(), SCHEMA, scale.keysPerContest()));
      Batches batches =
          opened.keep(
              new Batches(added, report.checks(), BATCH, scale.keysPerTrial(), scale.trial()));
      Contest contest =
          new Contest(
              String.format(
                  Locale.ROOT, "Full filter for %,d keys, false positive rate 0.01", keys),
              "keys/s",
              Better.HIGHER);
      contest.enter(
          "import", added.durability(), round -> keys / importSeconds(bloom, file, report, keys));
      contest.enter(
          "opening it with a mirror", "reads", round -> keys / openSeconds(bloom, filter));
      contest.enter(
          "addEach, " + BATCH + " keys a call",
          "addEach, and folded",
          added.durability(),
          round -> AddInBatches.addAndFold(added, batches));
      report.add(contest.run(scale.warmUps(), scale.rounds()));
    }
    bench.database().dropSchema(SCHEMA);
    report.note("The rate of the adds is that of as many keys as fit into a trial.");
  }

  private static double importSeconds(SlotBloom bloom, Path file, CaseReport report, long keys)
      throws Exception {
    String imported = "imported";
    long begun = System.nanoTime();
    bloom.importFrom(imported, file);
    double seconds = (System.nanoTime() - begun) / 1e9;
    try (BloomFilter<String> filter = bloom.open(imported, KeyType.text())) {
      MirrorLoad.requireComplete(filter, keys, report.checks());
    }
    bloom.admin(imported).drop();
    return seconds;
  }

  private static double openSeconds(SlotBloom bloom, String filter) {
    long begun = System.nanoTime();
    bloom.open(filter, KeyType.text()).close();
    return (System.nanoTime() - begun) / 1e9;
  }
}
