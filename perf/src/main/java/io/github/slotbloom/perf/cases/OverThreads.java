package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.RedisBloomKeys;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;

/** Measures rates as the number of threads grows. */
public final class OverThreads implements Measurement {

  private static final String SCHEMA = "perf_over_threads";
  private static final long CAPACITY = 20_000_000;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    DatabaseServer database = bench.database();
    database.emptySchema(SCHEMA);
    List<String> absent = Keys.texts(Keys.ABSENT, Peers.ABSENT_KEYS);
    CurveBuilder adds =
        CurveBuilder.logarithmic("add-over-threads", "add, one key a call", "threads", "keys/s");
    CurveBuilder lookups =
        CurveBuilder.logarithmic(
            "ask-over-threads", "mightContain of absent keys", "threads", "answers/s");
    try (Opened opened = new Opened()) {
      List<SeenKeys> adding = new ArrayList<>();
      List<SeenKeys> asked = new ArrayList<>();
      SlotbloomKeys strict = opened.keep(Peers.ours(database, SCHEMA, CAPACITY));
      adding.add(strict);
      asked.add(opened.keep(SlotbloomKeys.strict(database, SCHEMA, "seen")));
      asked.add(opened.keep(SlotbloomKeys.bounded(database, SCHEMA, "seen", Peers.BOUND)));
      if (bench.redisBloom().isPresent()) {
        RedisBloomKeys redisBloom =
            opened.keep(
                new RedisBloomKeys(
                    bench.redisBloom().get(), SCHEMA, CAPACITY, Peers.FALSE_POSITIVE_RATE));
        adding.add(redisBloom);
        asked.add(redisBloom);
      }
      int point = 0;
      for (int threads : scale.threads()) {
        point++;
        for (SeenKeys one : adding) {
          try (CrowdOfCallers crowd =
              new CrowdOfCallers(one, report.checks(), threads, scale.curvePoint(), point)) {
            crowd.add();
            one.settle();
            adds.point(one.name(), threads, crowd.add());
            one.settle();
          }
        }
        for (SeenKeys one : asked) {
          try (CrowdOfCallers crowd =
              new CrowdOfCallers(one, report.checks(), threads, scale.curvePoint(), point)) {
            crowd.ask(absent);
            lookups.point(one.name(), threads, crowd.ask(absent));
          }
        }
      }
    }
    database.dropSchema(SCHEMA);
    report.add(adds.build());
    report.add(lookups.build());
  }
}
