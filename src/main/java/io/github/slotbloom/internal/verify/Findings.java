package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.verify.RepairKind.Ground;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentFalsePositiveRate;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Checked;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Gathers what the checks find, a limited number of each kind. Not thread-safe. */
final class Findings {

  private final List<Finding> listed = new ArrayList<>();
  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final Map<Ground, String> doubts = new EnumMap<>(Ground.class);
  private final List<Checked> checked = new ArrayList<>();
  private final List<Unchecked> unchecked = new ArrayList<>();

  /** Adds damage that is in the catalog, or in no single place. */
  void damage(Kind kind, String found, String expected, String remedy) {
    damage(kind, Place.NOWHERE, found, expected, remedy);
  }

  void damage(Kind kind, Place place, String found, String expected, String remedy) {
    add(Severity.DAMAGE, kind, place, found, expected, remedy);
  }

  void remark(Kind kind, String found, String expected, String remedy) {
    add(Severity.REMARK, kind, Place.NOWHERE, found, expected, remedy);
  }

  void add(
      Severity severity, Kind kind, Place place, String found, String expected, String remedy) {
    add(
        new Finding(
            severity,
            kind,
            place.table(),
            place.generation(),
            place.slot(),
            place.seq(),
            found,
            expected,
            remedy));
  }

  void add(Finding finding) {
    Ground doubted = Ground.doubtedBy(finding.kind());
    if (doubted != null) {
      String where = finding.where().isEmpty() ? "" : " in " + finding.where();
      doubt(doubted, "found " + finding.found() + where + ", expected " + finding.expected());
    }
    if (counts.merge(finding.kind(), 1L, Long::sum) <= VerifyReport.MOST_OF_A_KIND) {
      listed.add(finding);
    }
  }

  /**
   * Casts doubt upon something that may all the same be as it should be.
   *
   * @param reason in the middle of a sentence
   */
  void doubt(Ground ground, String reason) {
    doubts.putIfAbsent(ground, reason);
  }

  /** Why that cannot be repaired, as part of a sentence; empty if it can. */
  Optional<String> doubtAbout(RepairKind repair) {
    return repair.grounds().stream()
        .filter(doubts::containsKey)
        .map(
            ground ->
                "it relies on %s, which cannot be trusted: %s"
                    .formatted(ground.inWords(), doubts.get(ground)))
        .findFirst();
  }

  void checked(Check check, long count, String what) {
    checked.add(new Checked(check, count, what));
  }

  void unchecked(Check check, String why) {
    unchecked.add(new Unchecked(check, why));
  }

  boolean has(Kind kind) {
    return counts.containsKey(kind);
  }

  VerifyReport report(
      FilterName filter,
      long epoch,
      long lastSeq,
      long foldedSeq,
      @Nullable CurrentFalsePositiveRate falsePositiveRate,
      List<String> done,
      List<String> notRepaired) {
    Map<Kind, Long> unlisted = new EnumMap<>(Kind.class);
    counts.forEach(
        (kind, count) -> {
          if (count > VerifyReport.MOST_OF_A_KIND) {
            unlisted.put(kind, count - VerifyReport.MOST_OF_A_KIND);
          }
        });
    return new VerifyReport(
        filter.value(),
        epoch,
        lastSeq,
        foldedSeq,
        List.copyOf(checked),
        List.copyOf(unchecked),
        List.copyOf(listed),
        Map.copyOf(unlisted),
        falsePositiveRate,
        List.copyOf(done),
        notRepaired);
  }

  /** Where a finding is, as far as that is known. */
  record Place(
      @Nullable String table,
      @Nullable Integer generation,
      @Nullable Long slot,
      @Nullable Long seq) {

    static final Place NOWHERE = new Place(null, null, null, null);

    static Place table(String table) {
      return new Place(table, null, null, null);
    }

    /** The entry of a generation in the manifest. */
    static Place manifest(int generation) {
      return new Place("bloom_filter", generation, null, null);
    }

    static Place entry(long seq) {
      return new Place("bloom_journal", null, null, seq);
    }

    static Place slots(GenerationRecord generation) {
      return slot(generation, null, null);
    }

    /**
     * @param slot null if it is not in one alone
     * @param seq of the entry that tells of it; null if none does
     */
    static Place slot(GenerationRecord generation, @Nullable Long slot, @Nullable Long seq) {
      return new Place(generation.slotTable(), generation.number(), slot, seq);
    }
  }
}
