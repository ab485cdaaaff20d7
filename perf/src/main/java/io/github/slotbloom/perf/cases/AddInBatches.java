package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Trial;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.peer.TextbookKeys;
import io.github.slotbloom.perf.report.CaseReport;
import java.util.List;

/**
 * Measures one caller that adds many keys per call.
 *
 * @param hasPeerGoals true for the batch size that has goals beside the peers as well
 */
public record AddInBatches(int batch, boolean hasPeerGoals) implements Measurement, Profiled {

  private static final int ABSENT_KEYS = 20_000;
  private static final int SOME_TEXTBOOK_KEYS = 100;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    String schema = "perf_add_batch";
    bench.database().emptySchema(schema);
    long capacity = scale.keysPerContest();
    Contest contest = new Contest(report.title(), "keys/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      SlotbloomKeys ours = opened.keep(Peers.ours(bench.database(), schema, capacity));
      Batches ourBatches = opened.keep(batches(ours, report, scale));
      contest.enter(
          ours.name(),
          ours.name() + ", and folded",
          ours.durability(),
          round -> addAndFold(ours, ourBatches));
      List<SeenKeys> peers = Peers.inDatabaseAndRedis(bench, schema, capacity, 8, opened);
      for (SeenKeys peer : peers) {
        Batches batches = opened.keep(batches(peer, report, scale));
        contest.enter(peer.name(), peer.durability(), round -> addAndLook(batches));
      }
      FloorTrials floor =
          opened.keep(new FloorTrials(bench.database(), schema, report.checks(), 1, scale.trial()));
      contest
          .enter(JdbcFloor.NAME, bench.database().durability(), round -> floor.inBatches(batch))
          .goal(JdbcFloor.NAME, 0.75, "0.75 of its rate");
      if (hasPeerGoals) {
        enterTextbook(contest, bench, schema, capacity, report, opened);
        contest
            .goal(Peers.REDISBLOOM, 1.0, "as fast")
            .goal(Peers.REDISSON, 5, "5 times as fast")
            .goal(Peers.TEXTBOOK, 500, "500 times as fast")
            .goal(Peers.HASH_TABLE, 6, "6 times as fast");
      }
      report.add(contest.run(scale.warmUps(), scale.rounds()));
      Batches.requireAbsent(ours, report.checks(), ABSENT_KEYS);
      for (SeenKeys peer : peers) {
        Batches.requireAbsent(peer, report.checks(), ABSENT_KEYS);
      }
    }
    bench.database().dropSchema(schema);
    report.note(
        "An add needs no folding to be answered. The second row counts the time until the slots are"
            + " written, too, and nobody else runs before that. The floor answers nothing.");
  }

  @Override
  public AddingLoop loop() {
    return new AddingLoop(1, batch);
  }

  static Trial.Two addAndFold(SlotbloomKeys ours, Batches batches) throws Exception {
    double rate = batches.trial();
    long begun = System.nanoTime();
    ours.settle();
    double seconds = batches.added() / rate + (System.nanoTime() - begun) / 1e9;
    batches.requireFound();
    return new Trial.Two(rate, batches.added() / seconds);
  }

  private static double addAndLook(Batches batches) throws Exception {
    double rate = batches.trial();
    batches.requireFound();
    return rate;
  }

  /** The textbook filter gets fewer keys, because each of them is a transaction. */
  private static void enterTextbook(
      Contest contest, Bench bench, String schema, long capacity, CaseReport report, Opened opened)
      throws Exception {
    TextbookKeys textbook =
        opened.keep(
            new TextbookKeys(
                bench.database(), schema, "textbook_bits", capacity, Peers.FALSE_POSITIVE_RATE));
    Scale scale = bench.scale();
    Batches batches =
        opened.keep(
            new Batches(
                textbook,
                report.checks(),
                SOME_TEXTBOOK_KEYS,
                scale.textbookKeysPerTrial(),
                scale.trial()));
    contest.enter(textbook.name(), textbook.durability(), round -> addAndLook(batches));
  }

  private Batches batches(SeenKeys keys, CaseReport report, Scale scale) throws Exception {
    return new Batches(keys, report.checks(), batch, scale.keysPerTrial(), scale.trial());
  }
}
