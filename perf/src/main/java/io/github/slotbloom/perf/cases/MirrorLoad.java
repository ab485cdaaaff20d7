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
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.StoredFilter;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.util.Locale;

/** Compares opening a half full filter with a client that reads the same table. */
public final class MirrorLoad implements Measurement {

  private static final String CLIENT = "The server's own client, into /dev/null";
  private static final int ASKED = 10_000;
  private static final int CONNECTIONS = 8;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    long keys = scale.mirrorKeys();
    String filter = FilledFilters.texts(bench, 2 * keys, keys);
    try (Opened opened = new Opened()) {
      DatabaseAccount account = bench.database().account(FilledFilters.SCHEMA);
      HikariDataSource pool = opened.keep(account.pool(CONNECTIONS));
      SlotBloom bloom = opened.keep(SlotBloom.on(pool));
      String table = StoredFilter.read(account, filter).slotTable();
      Contest contest =
          new Contest(
              String.format(Locale.ROOT, "Mirror of a half-full filter for %,d keys", 2 * keys),
              "s",
              Better.LOWER);
      contest.enter("Slotbloom open", "reads", round -> load(bloom, filter, keys, report));
      contest.enter(
          CLIENT,
          "reads",
          round ->
              bench
                  .database()
                  .clientSeconds(FilledFilters.SCHEMA, "SELECT slot, bits FROM " + table));
      contest.goal(CLIENT, 0.9, "0.9 of its speed");
      report.add(contest.run(scale.warmUps(), scale.rounds()));
    }
  }

  private static double load(SlotBloom bloom, String filter, long keys, CaseReport report) {
    long begun = System.nanoTime();
    try (BloomFilter<String> opened = bloom.open(filter, KeyType.text())) {
      double seconds = (System.nanoTime() - begun) / 1e9;
      requireComplete(opened, keys, report.checks());
      return seconds;
    }
  }

  static void requireComplete(BloomFilter<String> filter, long keys, Checks checks) {
    long step = Math.max(1, keys / ASKED);
    long asked = 0;
    long found = 0;
    for (long number = 0; number < keys; number += step) {
      asked++;
      found += filter.mightContain(Keys.text(number)) ? 1 : 0;
    }
    checks.found("A loaded mirror", asked, found);
    long seen = 0;
    for (boolean answer : filter.mightContainEach(Keys.texts(Keys.ABSENT, ASKED))) {
      seen += answer ? 1 : 0;
    }
    checks.absent("A loaded mirror", ASKED, seen, Peers.FALSE_POSITIVE_RATE);
  }
}
