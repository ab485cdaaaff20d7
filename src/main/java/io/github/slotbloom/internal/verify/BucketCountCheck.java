package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.KeyCounts;
import io.github.slotbloom.internal.store.catalog.WindowGeneration;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.Set;

/**
 * Checks the numbers of keys of a window: those of each bucket that is over, and those of all
 * buckets together.
 *
 * <p>Each key that is counted has its hash in an entry, and each such entry counts its hashes. So
 * while the journal holds all entries of a bucket, the count is their number; later it is at least
 * the number of those that are left.
 */
final class BucketCountCheck {

  private static final String MEND_SUM =
      "Correct it in row 0 of the filter in bloom_journal. It decides when the filter is full, and no"
          + " answer depends on it.";

  private static final String MEND_BUCKET =
      "Correct its row in bloom_generation. It decides when the filter is full, and how large the next"
          + " bucket is made, and no answer depends on it.";

  private final FilterUnderVerification observed;
  private final List<CountedGenerations> groups;
  private final JournalCheck journal;
  private final Findings findings;
  private long added;
  private long renewed;
  private long removed;
  private boolean known = true;

  BucketCountCheck(
      FilterUnderVerification observed,
      List<CountedGenerations> groups,
      JournalCheck journal,
      Findings findings) {
    this.observed = observed;
    this.groups = groups;
    this.journal = journal;
    this.findings = findings;
  }

  void run() {
    FilterHead head = observed.filter().head();
    if (findings.has(Kind.PARAMETERS)) {
      findings.unchecked(Check.KEY_COUNT, "The parameters are damaged.");
      return;
    }
    if (head.keysSet() > Sizing.MAX_CAPACITY) {
      damage(
          "the keys_added %s and the keys_renewed %s"
              .formatted(head.keysAdded(), head.keysRenewed()),
          "at most " + Sizing.MAX_CAPACITY + " together, as many as a filter can be made for");
      return;
    }
    requirePlaces();
    groups.subList(0, groups.size() - 1).forEach(this::requireOver);
    if (known) {
      requireSum(head);
    }
    if (!journal.isSound()) {
      findings.unchecked(Check.KEY_COUNT, "The journal is damaged.");
    } else if (!journal.isCountExact()) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The filter was imported, so it cannot be seen whether too many keys were counted.");
    } else if (!groups.stream().allMatch(this::isHeld)) {
      findings.unchecked(
          Check.KEY_COUNT,
          "The journal does not go back to the beginning of the oldest bucket, so it cannot be seen"
              + " whether too many keys were counted in buckets that it does not hold.");
    }
    findings.checked(Check.KEY_COUNT, head.keysAdded(), "keys");
  }

  /** The counts of a bucket stand with its last generation, and only once it is over. */
  private void requirePlaces() {
    List<Integer> over =
        groups.stream().limit(groups.size() - 1L).map(group -> group.row().number()).toList();
    for (WindowGeneration row : observed.rows()) {
      boolean inUse =
          observed.filter().generations().stream().anyMatch(g -> g.number() == row.number());
      boolean isOver = over.contains(row.number());
      if (inUse && row.isCounted() != isOver) {
        damage(
            row,
            isOver ? "no keys_added or keys_renewed" : inWords(row.counts()),
            isOver
                ? "both, since the bucket of generation " + row.number() + " is over"
                : "none, since generation "
                    + row.number()
                    + " is not the last of a bucket that is over");
        known &= isOver && isHeld(groups.get(over.indexOf(row.number())));
      }
    }
  }

  private void requireOver(CountedGenerations group) {
    KeyCounts held = held(group);
    KeyCounts stored = group.row().isCounted() ? group.row().counts() : held;
    if (!fits(group, stored)) {
      damage(group.row(), inWords(stored), expected(group, held));
      stored = held;
      known &= isHeld(group);
    }
    added += stored.keys();
    renewed += stored.renewed();
    removed += stored.removed();
  }

  private void requireSum(FilterHead head) {
    CountedGenerations newest = groups.get(groups.size() - 1);
    KeyCounts all = new KeyCounts(head.keysAdded(), head.keysRemoved(), head.keysRenewed());
    KeyCounts rest =
        new KeyCounts(all.keys() - added, all.removed() - removed, all.renewed() - renewed);
    boolean negative = rest.keys() < 0 || rest.removed() < 0 || rest.renewed() < 0;
    if (negative || !fits(newest, rest)) {
      KeyCounts held = held(newest);
      damage(
          inWords(all) + " in row 0",
          (negative ? "at least " : "")
              + inWords(new KeyCounts(added, removed, renewed))
              + " of the buckets that are over"
              + (negative ? "" : ", and " + expected(newest, held) + " of the newest"));
    }
  }

  private boolean fits(CountedGenerations group, KeyCounts counts) {
    if (!journal.isSound()) {
      return true;
    }
    KeyCounts held = held(group);
    return isHeld(group)
        ? counts.equals(held)
        : counts.keys() >= held.keys()
            && counts.removed() >= held.removed()
            && counts.renewed() >= held.renewed();
  }

  private String expected(CountedGenerations group, KeyCounts held) {
    return (isHeld(group) ? "" : "at least ") + inWords(held) + ", as the journal says";
  }

  private KeyCounts held(CountedGenerations group) {
    return journal.tally().held(group.first(), group.last());
  }

  /** Returns true if the journal holds all entries with keys that are counted together. */
  private boolean isHeld(CountedGenerations group) {
    Long oldest = journal.oldest();
    GenerationRecord first = observed.filter().generations().get(group.first());
    return group.isWhole()
        && journal.isSound()
        && journal.isCountExact()
        && (oldest == null
            ? observed.lastSeq() == first.sinceSeq()
            : oldest <= first.sinceSeq() + 1);
  }

  private String inWords(KeyCounts counts) {
    return "the keys_added %s and the keys_renewed %s".formatted(counts.keys(), counts.renewed())
        + (observed.filter().removable() ? ", and the keys_removed " + counts.removed() : "");
  }

  private void damage(WindowGeneration row, String found, String expected) {
    findings.damage(
        Set.of(Ground.GENERATION_ROWS), Kind.KEY_COUNT, row.number(), found, expected, MEND_BUCKET);
  }

  private void damage(String found, String expected) {
    findings.damage(Set.of(Ground.FILTER_ROW), Kind.KEY_COUNT, found, expected, MEND_SUM);
  }
}
