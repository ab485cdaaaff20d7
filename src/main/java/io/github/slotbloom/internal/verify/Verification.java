package io.github.slotbloom.internal.verify;

import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.OngoingReplacement;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.transfer.HashSource;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.internal.verify.RemovedKeysCheck.Fault;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.VerifyProgress;
import io.github.slotbloom.report.VerifyReport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares everything that is stored of a filter, while others use it.
 *
 * <p>No lock is held and no snapshot kept. The order of reading makes up for it: first how far the
 * filter is folded, then the catalog, the slots and the journal. What was folded by then is in the
 * slots that are read later, since bits are only ever set in a table. Where the filter was cleared
 * or replaced in between, everything is read again. Not thread-safe.
 */
public final class Verification {

  private static final int MOST_ATTEMPTS = 5;

  /** Each mends as many hashes as are remembered. */
  private static final int MOST_REPAIRS = 100;

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FollowedFilter followed;
  private final VerifyOptions options;
  private final @Nullable HashSource given;
  private final RetriedTransactions transactions;

  /** The result of one attempt. */
  private record Outcome(
      FilterUnderVerification observed,
      Findings findings,
      @Nullable HashLookup lookup,
      List<Fault> removedFaults,
      @Nullable CurrentFalsePositiveRate falsePositiveRate) {

    /** Returns all repairs that are needed, even those whose data are in doubt. */
    Set<RepairKind> wanted() {
      Set<RepairKind> wanted = EnumSet.noneOf(RepairKind.class);
      if (findings.has(Kind.BEYOND_END)) {
        wanted.add(RepairKind.TAKE_AWAY_BEYOND);
      }
      if (lookup != null) {
        if (lookup.allLost(seq -> seq > 0).findAny().isPresent()) {
          wanted.add(RepairKind.SET_FROM_JOURNAL);
        }
        if (lookup.allLost(seq -> seq == 0).findAny().isPresent()) {
          wanted.add(RepairKind.SET_FROM_RETAINED);
        }
      }
      if (!removedFaults.isEmpty()) {
        wanted.add(RepairKind.SET_REMOVED);
      }
      return wanted;
    }

    boolean allows(RepairKind repair) {
      return findings.doubtAbout(repair).isEmpty();
    }

    boolean isMendable() {
      return lookup != null && wanted().stream().anyMatch(this::allows);
    }

    /** Returns the repairs that are needed but not made, with the reasons, in sentences. */
    List<String> notRepaired() {
      return wanted().stream()
          .flatMap(
              repair ->
                  findings
                      .doubtAbout(repair)
                      .map(why -> repair.undone() + ": " + why + ".")
                      .stream())
          .toList();
    }

    VerifyReport report(List<String> done, List<String> notRepaired) {
      return findings.report(
          observed.filter().name(),
          observed.filter().head().epoch(),
          observed.lastSeq(),
          observed.foldedSeq(),
          falsePositiveRate,
          done,
          notRepaired);
    }
  }

  private Verification(
      FilterDirectory directory,
      FilterEngines engines,
      FilterRecord filter,
      VerifyOptions options,
      @Nullable HashSource given) {
    this.directory = directory;
    this.engines = engines;
    this.followed = new FollowedFilter(filter);
    this.options = options;
    this.given = given;
    this.transactions = engines.transactions(filter);
  }

  /**
   * Verifies a filter, also one whose catalog rows cannot be read, and repairs it if the options
   * say so.
   *
   * @param keys that have to be in the filter; null if none were given
   */
  public static VerifyReport verify(
      FilterDirectory directory,
      FilterEngines engines,
      FilterName name,
      VerifyOptions options,
      @Nullable HashSource keys) {
    FilterRecord filter;
    try {
      filter = directory.require(name);
    } catch (CorruptFilterException e) {
      return unreadable(name, e);
    }
    if (keys != null) {
      keys.requireFits(filter);
    }
    return new Verification(directory, engines, filter, options, keys).run();
  }

  private static VerifyReport unreadable(FilterName name, CorruptFilterException e) {
    Findings findings = new Findings();
    findings.damage(
        Kind.PARAMETERS,
        Objects.requireNonNullElse(e.getMessage(), e.toString()),
        "rows as Slotbloom stores them",
        ParameterCheck.PUT_BACK);
    for (Check check : Check.values()) {
      if (check != Check.PARAMETERS) {
        findings.unchecked(check, "The catalog rows of the filter cannot be right.");
      }
    }
    return findings.report(name, 0, 0, 0, null, List.of(), List.of());
  }

  /**
   * Verifies, mends if that is planned, and then verifies again.
   *
   * @throws FilterUnavailableException if the filter was never left alone for long enough
   * @throws InvalidParameterException if it is to be repaired while it is being replaced
   */
  private VerifyReport run() {
    Outcome outcome = verify();
    List<String> done = new ArrayList<>();
    for (int round = 0;
        options.isRepairing() && outcome.isMendable() && round < MOST_REPAIRS;
        round++) {
      List<String> now = mend(outcome);
      if (now.isEmpty()) {
        break;
      }
      done.addAll(now);
      outcome = verify();
    }
    return outcome.report(done, options.isRepairing() ? outcome.notRepaired() : List.of());
  }

  private List<String> mend(Outcome outcome) {
    FilterRecord filter = outcome.observed().filter();
    OngoingReplacement.requireNone(filter, "be repaired");
    Repair repair = new Repair(engines, transactions, filter);
    if (outcome.allows(RepairKind.TAKE_AWAY_BEYOND)) {
      repair.takeAwayBeyond();
    }
    repair.setAgain(
        Objects.requireNonNull(outcome.lookup()),
        seq -> outcome.allows(RepairKind.settingAgain(seq)),
        outcome.allows(RepairKind.SET_FROM_JOURNAL));
    if (!outcome.removedFaults().isEmpty() && outcome.allows(RepairKind.SET_REMOVED)) {
      repair.setRemoved(outcome.removedFaults(), outcome.observed().foldedSeq());
    }
    return repair.done();
  }

  private Outcome verify() {
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      FilterUnderVerification observed = transactions.ask(this::observe);
      try {
        Outcome outcome = verify(observed);
        if (stillHolds(observed)) {
          return outcome;
        }
      } catch (SchemaException | CorruptFilterException e) {
        // The table of a generation that was replaced, or entries that were trimmed since a clear.
        if (stillHolds(observed)) {
          throw e;
        }
      }
    }
    throw new FilterUnavailableException(neverLeftAlone(), null);
  }

  private String neverLeftAlone() {
    Window window = followed.now().window();
    String doing = "it was cleared or replaced";
    String remedy = "Try again when that has ended.";
    if (window != null) {
      doing = "a bucket of it expired, or it was cleared,";
      remedy =
          ("Try again when the database is less busy: a bucket lasts %s, and verification must"
                  + " finish within that time.")
              .formatted(window.bucketLength());
    }
    return "Filter %s could not be verified: %s during each of %s attempts. %s"
        .formatted(followed.name(), doing, MOST_ATTEMPTS, remedy);
  }

  private FilterUnderVerification observe(Tx tx) {
    JournalEnds ends = FilterUnderVerification.ends(tx, followed.now());
    FilterRecord filter = followed.requireUnchanged(tx);
    FilterNotReady.requireActive(filter.name(), filter.head());
    long folded = Objects.requireNonNullElse(ends.foldedSeq(), 0L);
    return new FilterUnderVerification(
        transactions, filter, ends, Math.min(folded, filter.head().lastSeq()));
  }

  private boolean stillHolds(FilterUnderVerification observed) {
    return transactions.ask(
        tx -> {
          JournalEnds ends = observed.endsNow(tx);
          return observed.holds(followed.requireUnchanged(tx), ends);
        });
  }

  private Outcome verify(FilterUnderVerification observed) {
    FilterRecord filter = observed.filter();
    Findings findings = new Findings();
    new ParameterCheck(observed, findings).run();
    new TableRowCheck(followed, transactions, findings).run();
    told(Check.SLOT_TABLES, 0, 0);
    if (!new SlotTableCheck(observed, findings).run()) {
      for (Check check : List.of(Check.FOLDED_ENTRIES, Check.FILL, Check.FALSE_POSITIVE_RATE)) {
        findings.unchecked(check, "A slot table cannot be read.");
      }
      return new Outcome(observed, findings, null, List.of(), null);
    }
    StoredBits stored = new StoredBits(transactions, observed.generations());
    stored.load();
    HashLookup lookup = new HashLookup(filter.manifest(), stored);
    JournalCheck journal = new JournalCheck(observed, lookup, findings);
    long first = Objects.requireNonNullElse(observed.ends().firstSeq(), observed.lastSeq() + 1);
    journal.run(entries -> told(Check.JOURNAL, entries, observed.lastSeq() - first + 1));
    RemovedKeysCheck removed = new RemovedKeysCheck(observed, journal, lookup, findings);
    removed.run(hashes -> told(Check.REMOVED_KEYS, hashes, 0));
    new RetainedHashCheck(observed, journal, lookup, removed, findings)
        .run(hashes -> told(Check.RETAINED_HASHES, hashes, 0));
    lookup.finish();
    requireBetterThanChance(observed, stored, lookup, findings);
    new LossReport(observed, lookup, journal.removals(), findings).run();
    tellWhatIsTrimmed(observed, journal, findings);
    new FillCheck(observed, journal, stored, findings).run();
    if (given != null) {
      new GivenKeysCheck(directory, engines.tables(filter), observed, given, stored, findings)
          .run(keys -> told(Check.GIVEN_KEYS, keys, 0));
    }
    CurrentFalsePositiveRate rate =
        new FalsePositiveRateCheck(observed, journal, stored, findings).run();
    return new Outcome(observed, findings, lookup, removed.faults(), rate);
  }

  private static void requireBetterThanChance(
      FilterUnderVerification observed, StoredBits stored, HashLookup lookup, Findings findings) {
    for (int place = 0; place < observed.generations().size(); place++) {
      ChanceFit fit = lookup.in(place).fit;
      if (fit.isNoBetterThanChance(stored.fill(place))) {
        findings.damage(
            Kind.PARAMETERS,
            Place.manifest(observed.generations().get(place).number()),
            "generation %s with slots that have %s"
                .formatted(observed.generations().get(place).number(), fit.inWords()),
            "all of them",
            "If its part of the manifest, or the layout in bloom_filter, was changed, restore that;"
                + " if its slots were lost, restore the bloom_ tables from one backup.");
      }
    }
  }

  private void tellWhatIsTrimmed(
      FilterUnderVerification observed, JournalCheck journal, Findings findings) {
    if (journal.isComplete() || observed.filter().retainHashes()) {
      return;
    }
    Long oldest = journal.oldest();
    String lacking =
        journal.isSound()
            ? (oldest == null
                    ? "The journal holds no entry"
                    : "The journal begins with entry " + oldest)
                + ". A lost bit that only older keys need shows "
            : "Nothing is known of the keys that the journal lacks. A lost bit that only those"
                + " keys need shows ";
    findings.unchecked(
        Check.FOLDED_ENTRIES,
        lacking
            + (given == null
                ? "only if so many bits are lost that the fill shows it, or if you verify with the"
                    + " keys."
                : "only if its key is among those that were given."));
  }

  private void told(Check check, long done, long all) {
    options.progress().accept(new VerifyProgress(check, done, all));
  }
}
