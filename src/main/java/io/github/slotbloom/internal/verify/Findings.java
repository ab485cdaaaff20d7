package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.CurrentErrorRate;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gathers what the checks find, a limited number of each kind. Not thread-safe. */
final class Findings {

  private final List<Finding> listed = new ArrayList<>();
  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final Map<Ground, String> doubts = new EnumMap<>(Ground.class);
  private final List<Checked> checked = new ArrayList<>();
  private final List<Unchecked> unchecked = new ArrayList<>();

  /**
   * Adds a finding.
   *
   * @param doubts what it casts doubt upon, so that no repair may rely on it
   */
  void add(Set<Ground> doubts, Finding finding) {
    doubts.forEach(ground -> doubt(ground, finding));
    if (counts.merge(finding.kind(), 1L, Long::sum) <= VerifyReport.MOST_OF_A_KIND) {
      listed.add(finding);
    }
  }

  private void doubt(Ground ground, Finding finding) {
    String where = finding.where();
    String reason = "found " + finding.found() + (where.isEmpty() ? "" : " in " + where);
    doubt(ground, reason + ", expected " + finding.expected());
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
    return doubts.entrySet().stream()
        .filter(doubt -> repair.grounds().contains(doubt.getKey()))
        .map(
            doubt ->
                "it relies on %s, which cannot be trusted: %s"
                    .formatted(doubt.getKey().inWords(), doubt.getValue()))
        .findFirst();
  }

  /** Damage that is in the catalog, or in no single place. */
  void damage(Set<Ground> doubts, Kind kind, String found, String expected, String remedy) {
    add(doubts, Severity.DAMAGE, kind, found, expected, remedy);
  }

  /** A finding in the catalog, or in no single place. */
  void add(
      Set<Ground> doubts,
      Severity severity,
      Kind kind,
      String found,
      String expected,
      String remedy) {
    add(doubts, new Finding(severity, kind, null, null, null, null, found, expected, remedy));
  }

  /** Damage to the row of a generation. */
  void damage(
      Set<Ground> doubts,
      Kind kind,
      GenerationRecord generation,
      String found,
      String expected,
      String remedy) {
    damage(doubts, kind, generation.number(), found, expected, remedy);
  }

  /** Damage to the row of a generation with that number. */
  void damage(
      Set<Ground> doubts, Kind kind, int generation, String found, String expected, String remedy) {
    add(
        doubts,
        new Finding(
            Severity.DAMAGE,
            kind,
            "bloom_generation",
            generation,
            null,
            null,
            found,
            expected,
            remedy));
  }

  /** Damage to the journal, at an entry. */
  void damage(
      Set<Ground> doubts, Kind kind, long seq, String found, String expected, String remedy) {
    add(
        doubts,
        new Finding(
            Severity.DAMAGE, kind, "bloom_journal", null, null, seq, found, expected, remedy));
  }

  /**
   * Damage to a slot table.
   *
   * @param slot null if it is not in one alone
   * @param seq of the entry that tells of it; null if none does
   */
  void damage(
      Set<Ground> doubts,
      Kind kind,
      GenerationRecord generation,
      @Nullable Long slot,
      @Nullable Long seq,
      String found,
      String expected,
      String remedy) {
    add(
        doubts,
        new Finding(
            Severity.DAMAGE,
            kind,
            generation.slotTable(),
            generation.number(),
            slot,
            seq,
            found,
            expected,
            remedy));
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
      @Nullable CurrentErrorRate errorRate) {
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
        errorRate,
        List.of(),
        List.of());
  }
}
