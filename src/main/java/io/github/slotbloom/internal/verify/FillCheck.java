package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Checks that the added keys can have set as many bits as are set.
 *
 * <p>The bits of n keys are n independent choices, each of which changes their number X by at most
 * k. So P(|X - E[X]| >= t) <= 2 exp(-2 t² / (n k²)), whatever the layout (McDiarmid: On the Method
 * of Bounded Differences, 1989). A key that is counted was no member before, so X is rather larger
 * than that; those that were taken for members set no bits, but stand for tries of which the others
 * were chosen, which the upper bound counts in.
 */
record FillCheck(
    RetriedTransactions transactions,
    FilterRecord filter,
    List<CountedGenerations> groups,
    JournalCheck journal,
    Findings findings) {

  /** How improbable a finding is where nothing is wrong, 10^-9, as a logarithm. */
  static final double LOG_IMPROBABLE = 9 * Math.log(10);

  /** Beyond such an error rate, how many keys were tried depends on the order of all of them. */
  private static final double MOST_SEEN = 0.1;

  private static final String LOOK =
      "Verify with the keys, or with the source of the filter, and repair or replace it.";

  void run(StoredBits stored) {
    List<GenerationRecord> generations = filter.generations();
    if (findings.has(Kind.PARAMETERS)) {
      findings.unchecked(Check.FILL, "The parameters are damaged.");
      return;
    }
    if (!journal.canBeFolded()) {
      findings.unchecked(Check.FILL, "The journal is damaged, so what is folded is not known.");
      return;
    }
    if (!journal.isAllUnfoldedRead()) {
      findings.unchecked(
          Check.FILL,
          "Entries that were not folded yet were folded and trimmed before they could be read.");
      return;
    }
    if (filter.set().target() != null) {
      findings.unchecked(Check.FILL, "The filter is being replaced.");
      return;
    }
    if (!journal.isCountExact()) {
      findings.unchecked(
          Check.FILL,
          "The filter was imported, or others were merged into it: how many of its keys set bits is"
              + " an estimate.");
      return;
    }
    if (generations.get(0).cutoverSeq() > 0) {
      findings.unchecked(
          Check.FILL,
          "The filter was replaced, perhaps by a source with fewer keys than were counted.");
      return;
    }
    if (filter.window() != null) {
      runOnBuckets(stored);
      return;
    }
    int newest = generations.size() - 1;
    // Growth made room for what the filter did not hold then.
    long before = filter.capacity() - generations.get(newest).capacity();
    long inNewest = filter.head().keysSet() - before;
    long unfolded = journal.unfoldedAdds();
    long folded = Math.max(0, inNewest - unfolded - uncertain());
    require(generations.get(newest), stored.fill(newest), folded, newest == 0);
    long left = Math.max(0, before - Math.max(0, unfolded - Math.max(0, inNewest)) - uncertain());
    if (newest == 1) {
      require(generations.get(0), stored.fill(0), left, false);
    } else if (newest > 1) {
      findings.unchecked(
          Check.FILL,
          "How many keys each of the first " + newest + " generations holds is not recorded.");
    }
    findings.checked(Check.FILL, newest <= 1 ? newest + 1 : 1, "generations");
  }

  /** Looks at each bucket that has one generation, for which its keys are counted. */
  private void runOnBuckets(StoredBits stored) {
    if (findings.has(Kind.KEY_COUNT)) {
      findings.unchecked(Check.FILL, "The numbers of keys of the buckets are damaged.");
      return;
    }
    long ofNewest = filter.head().keysSet();
    int checked = 0;
    for (CountedGenerations group : groups) {
      boolean isOver = group.row().isCounted();
      long keys = isOver ? group.row().counts().keys() + group.row().counts().renewed() : ofNewest;
      ofNewest -= isOver ? keys : 0;
      if (group.isSingle()) {
        int place = group.first();
        long folded = keys - journal.tally().unfolded(place, place);
        GenerationRecord generation = filter.generations().get(place);
        require(generation, stored.fill(place), Math.max(0, folded), false);
        if (isOver) {
          requireAtMost(generation, stored.fill(place), keys);
        } else {
          addedToNewest(keys).ifPresent(now -> requireAtMost(generation, stored.fill(place), now));
        }
        checked++;
      }
    }
    if (checked < groups.size()) {
      findings.unchecked(
          Check.FILL,
          "Of buckets that grew, or that went on without a table of their own, it is not recorded"
              + " how many keys each generation holds.");
    }
    findings.checked(Check.FILL, checked, "generations");
  }

  /**
   * Returns how many keys the newest generation has now, read after the bits: others go on to add.
   * Returns empty if it is not the newest any more.
   */
  private OptionalLong addedToNewest(long before) {
    FilterHead now = head();
    return filter.knows(now)
        ? OptionalLong.of(before + now.keysSet() - filter.head().keysSet())
        : OptionalLong.empty();
  }

  /**
   * Returns how many of the keys may have set no bit: a removed key may have been one that only
   * seemed to be there.
   */
  private long uncertain() {
    FilterHead head = filter.head();
    return head.countsDown() ? head.keysRemoved() : 0;
  }

  private void require(GenerationRecord generation, Fill fill, long keys, boolean alone) {
    BloomParameters parameters = generation.parameters();
    double n = (double) keys;
    long low = (long) Math.floor(expectedBits(parameters, n) - deviation(parameters, n));
    if (fill.bitsSet() < low) {
      // Bits that are lost say nothing of what is recorded.
      damage(
          Set.of(),
          generation,
          fill,
          "at least " + low + ", which " + keys + " keys must have set");
    }
    // In others a repair may have written keys of older generations.
    if (alone) {
      // Read after the bits: others go on to add.
      requireAtMost(generation, fill, head().keysSet());
    }
  }

  private void requireAtMost(GenerationRecord generation, Fill fill, long added) {
    BloomParameters parameters = generation.parameters();
    double seen = Sizing.expectedFalsePositiveRate(parameters, added);
    if (seen > MOST_SEEN) {
      findings.unchecked(Check.FILL, "The filter is too full to tell how many bits are too many.");
      return;
    }
    double tries =
        (double) tries(added, Sizing.expectedFalsePositiveRate(parameters, tries(added, seen)));
    double high = expectedBits(parameters, tries) + deviation(parameters, tries);
    if (fill.bitsSet() > high) {
      damage(
          Set.of(Ground.GENERATION_ROWS),
          generation,
          fill,
          "at most " + (long) high + ", which " + added + " keys can have set");
    }
  }

  /** How many keys were tried, at most, until so many were new. */
  private static long tries(long keys, double seen) {
    double mean = keys / (1 - seen);
    // Six standard deviations of a negative binomial number.
    return (long) (mean + 6 * Math.sqrt(mean * seen / (1 - seen))) + 1;
  }

  private FilterHead head() {
    return transactions
        .attempt(tx -> Catalog.find(tx, filter.id()))
        .orElseThrow(() -> FilterNotReady.gone(filter.name()))
        .head();
  }

  private static double expectedBits(BloomParameters parameters, double keys) {
    int hashes = parameters.hashes();
    if (parameters.layout() == Layout.STANDARD) {
      return -parameters.bits() * Math.expm1(keys * hashes * Math.log1p(-1.0 / parameters.bits()));
    }
    // A key leaves a given bit clear unless its block is chosen, and then one of its probes.
    double blocks = (double) parameters.bits() / BloomParameters.BLOCK_BITS;
    double chosen = -Math.expm1(hashes * Math.log1p(-1.0 / BloomParameters.BLOCK_BITS));
    return -parameters.bits() * Math.expm1(keys * Math.log1p(-chosen / blocks));
  }

  private static double deviation(BloomParameters parameters, double keys) {
    return parameters.hashes() * Math.sqrt(keys * LOG_IMPROBABLE / 2);
  }

  private void damage(Set<Ground> doubts, GenerationRecord generation, Fill fill, String expected) {
    findings.damage(
        doubts,
        Kind.FILL,
        generation,
        null,
        null,
        fill.bitsSet() + " bits that are set",
        expected,
        LOOK);
  }
}
