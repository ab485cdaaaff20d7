package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.Crowd;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.profile.Profile;
import io.github.slotbloom.perf.report.CaseReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Adds new keys to our filter without a pause and without peers.
 *
 * @param threads the threads that add
 * @param batch the keys per call
 */
public record AddingLoop(int threads, int batch) {

  /** An upper limit of all threads together. */
  private static final long MOST_A_SECOND = 1_500_000;

  /**
   * Runs for the time without the recorder, and then for the time under it. Each part begins when
   * all is folded, as a trial of the case does. The rates tell how much the recorder slows adding
   * down.
   */
  public void profile(Bench bench, Duration time, Path recording, CaseReport report)
      throws Exception {
    String schema = "perf_profile";
    bench.database().emptySchema(schema);
    Duration half = time.dividedBy(2);
    long capacity = MOST_A_SECOND * (2 * time.toSeconds() + 1);
    AtomicLong next = new AtomicLong();
    LongAdder isNew = new LongAdder();
    try (Opened opened = new Opened()) {
      SlotbloomKeys ours = opened.keep(Peers.ours(bench.database(), schema, capacity));
      Caller caller = opened.keep(ours.caller());
      Crowd.Preparation adding =
          thread ->
              () ->
                  isNew.add(
                      batch == 1
                          ? (caller.add(Keys.text(next.getAndIncrement())) ? 1 : 0)
                          : caller.addEach(Keys.texts(next.getAndAdd(batch), batch)));
      Crowd.rate(threads, half, adding);
      ours.settle();
      double unseenPerSecond = Crowd.rate(threads, half, adding);
      ours.settle();
      Profile profile = opened.keep(new Profile());
      profile.begin();
      double callsPerSecond = Crowd.rate(threads, time, adding);
      profile.end();
      report.checks().newKeys(ours.name(), next.get(), isNew.sum(), ours.falsePositiveRate());
      profile.read(recording).tables().forEach(report::add);
      report.note(
          String.format(
              Locale.ROOT,
              "%d s with %,.0f keys a second, after %,.0f without the recorder; %.1f s on all cores"
                  + " by the operating system, with compilers and collectors. Threads that wait"
                  + " for each other are not counted.",
              time.toSeconds(),
              callsPerSecond * batch,
              unseenPerSecond * batch,
              profile.secondsOnCores()));
    }
    bench.database().dropSchema(schema);
  }
}
