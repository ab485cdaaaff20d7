package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.cases.MixedCalls.Call;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.peer.WaitingRemovals;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures removable filters, which look at the end of the journal before they answer yes, beside
 * removals that wait for a lease, so that a yes comes from memory.
 */
public final class RemovalLook implements Measurement {

  private static final String SCHEMA = "perf_removal_look";
  private static final int MEMBERS = 64_000;

  /** For all keys that the trials add. */
  private static final int CAPACITY = 1_000_000;

  private static final int MANY = 64;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (int callers : bench.scale().isQuick() ? new int[] {MANY} : new int[] {1, MANY}) {
      contest("block list", RemovalLook::blockList, callers, bench, report, rows);
      contest("session store", RemovalLook::sessionStore, callers, bench, report, rows);
    }
    report.add(
        new Table(
            "Microseconds that a call takes",
            List.of("use", "callers", "side", "call", "median", "99 %", "calls"),
            rows));
    report.note(
        "Block list: 2 % of the lookups are about members, and one call in 10,000 removes one."
            + " Session store: 80 % are lookups about members, 10 % add a key, 10 % remove one."
            + " The other side is not built. Its cost is emulated by a filter that is not"
            + " removable: a removal adds another key there, and its caller waits for "
            + WaitingRemovals.LEASE.toSeconds()
            + " s.");
  }

  private static Call blockList(long number) {
    if (number % 10_000 == 0) {
      return Call.REMOVE;
    }
    return number % 50 == 1 ? Call.ASK_MEMBER : Call.ASK_ABSENT;
  }

  private static Call sessionStore(long number) {
    return switch ((int) (number % 10)) {
      case 0 -> Call.REMOVE;
      case 5 -> Call.ADD;
      default -> Call.ASK_MEMBER;
    };
  }

  private static void contest(
      String use,
      MixedCalls.Mix mix,
      int callers,
      Bench bench,
      CaseReport report,
      List<List<String>> rows)
      throws Exception {
    Scale scale = bench.scale();
    DatabaseServer database = bench.database();
    database.emptySchema(SCHEMA);
    Contest contest =
        new Contest(
            String.format(Locale.ROOT, "%s, %s, callers: %d", report.title(), use, callers),
            "calls/s",
            Better.HIGHER);
    try (Opened opened = new Opened()) {
      List<RemovableKeys> sides =
          List.of(
              opened.keep(Peers.oursRemovable(database, SCHEMA, CAPACITY)),
              opened.keep(
                  new WaitingRemovals(
                      SlotbloomKeys.reserve(
                          database, SCHEMA, "waits", CAPACITY, Peers.FALSE_POSITIVE_RATE))));
      List<MixedCalls> all = new ArrayList<>();
      for (RemovableKeys side : sides) {
        MixedCalls calls =
            opened.keep(
                new MixedCalls(side, mix, report.checks(), callers, MEMBERS, scale.waiting()));
        all.add(calls);
        contest.enter(side.name(), side.durability(), round -> calls.trial());
      }
      report.add(contest.run(0, scale.rounds()));
      for (int i = 0; i < all.size(); i++) {
        for (Call call : Call.values()) {
          long[] nanos = all.get(i).nanos(call);
          if (nanos.length > 0) {
            rows.add(
                List.of(
                    use,
                    Integer.toString(callers),
                    sides.get(i).name(),
                    call.words(),
                    micros(nanos, 0.5),
                    micros(nanos, 0.99),
                    Figures.of(nanos.length)));
          }
        }
      }
    }
    database.dropSchema(SCHEMA);
  }

  private static String micros(long[] ascending, double part) {
    return Figures.of(ascending[(int) Math.ceil(part * ascending.length) - 1] / 1e3);
  }
}
