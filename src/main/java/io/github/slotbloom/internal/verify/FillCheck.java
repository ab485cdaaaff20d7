package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.internal.verify.RepairKind.Ground;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    FilterUnderVerification observed, JournalCheck journal, StoredBits stored, Findings findings) {

  /** How improbable a finding is where nothing is wrong, 10^-9, as a logarithm. */
  private static final double LOG_IMPROBABLE = 9 * Math.log(10);

  /**
   * Beyond such a false positive rate, how many keys were tried depends on the order of all of
   * them.
   */
  private static final double MOST_SEEN = 0.1;

  private static final String LOOK =
      "Verify the filter with its keys (slotbloom verify --keys FILE), and repair or replace it. If"
          + " the number of keys was changed by hand, restore it.";

  void run() {
    String obstacle = obstacle();
    if (obstacle != null) {
      findings.unchecked(Check.FILL, obstacle);
    } else {
      findings.checked(
          Check.FILL, filter().window() == null ? runOnLayers() : runOnBuckets(), "generations");
    }
  }

  private FilterRecord filter() {
    return observed.filter();
  }

  /** Returns why it is not known how many keys set bits, as a sentence; null if it is known. */
  private @Nullable String obstacle() {
    if (findings.has(Kind.PARAMETERS)) {
      return "The parameters are damaged.";
    }
    if (!journal.isUnfoldedKnown()) {
      return "Entries that were not folded yet are damaged, or were trimmed before they could be"
          + " read.";
    }
    if (filter().manifest().target() != null) {
      return "The filter is being replaced.";
    }
    if (!journal.isCountExact()) {
      return "The filter was imported, or others were merged into it, so its number of keys is an"
          + " estimate.";
    }
    return filter().generations().get(0).cutoverSeq() > 0
        ? "The filter was replaced, perhaps by a source with fewer keys than were counted."
        : null;
  }

  private int runOnLayers() {
    int newest = filter().generations().size() - 1;
    // Growth made room for what the filter did not hold then.
    long before = filter().capacity() - filter().newestGeneration().capacity();
    long inNewest = filter().head().keysSet() - before;
    requireAtLeast(newest, inNewest);
    if (newest == 0) {
      requireAtMost(newest, filter().head().keysSet());
    } else if (newest == 1) {
      // A repair may have written keys of the older generation to the newest one.
      requireAtLeast(0, before);
    } else {
      findings.unchecked(
          Check.FILL,
          "How many keys each of the first " + newest + " generations holds is not recorded.");
    }
    return newest == 1 ? 2 : 1;
  }

  /** Looks at each generation whose keys are counted apart from those of others. */
  private int runOnBuckets() {
    int newest = filter().generations().size() - 1;
    long ofNewest = filter().head().keysSet();
    int checked = 0;
    for (int place = 0; place <= newest; place++) {
      long keys = place == newest ? ofNewest : generation(place).countsOrNone().keysSet();
      ofNewest -= keys;
      if (isLast(place) && isFirst(place)) {
        requireAtLeast(place, keys);
        requireAtMost(place, keys);
        checked++;
      }
    }
    if (checked <= newest) {
      findings.unchecked(
          Check.FILL,
          "Of buckets that grew, or that went on without a table of their own, it is not recorded"
              + " how many keys each generation holds.");
    }
    return checked;
  }

  private GenerationRecord generation(int place) {
    return filter().generations().get(place);
  }

  /** Returns true if no later generation has keys that are counted with those of this one. */
  private boolean isLast(int place) {
    List<GenerationRecord> read = filter().generations();
    return place + 1 == read.size()
        || (!read.get(place).isInBucketOf(read.get(place + 1))
            && (generation(place).counts() != null || !generation(place + 1).wentOn()));
  }

  /** Returns true if no older generation has, one that has expired included. */
  private boolean isFirst(int place) {
    return place > 0 ? isLast(place - 1) : !generation(0).wentOn() || generation(0).sinceSeq() == 0;
  }

  private void requireAtLeast(int place, long keys) {
    BloomParameters parameters = filter().generations().get(place).parameters();
    FilterHead head = filter().head();
    // A removed key may have been one that only seemed to be there, and set no bit.
    long uncertain = head.countsDown() ? head.keysRemoved() : 0;
    long folded = Math.max(0, keys - journal.unfoldedHashes(place) - uncertain);
    double n = (double) folded;
    long low = (long) Math.floor(expectedBits(parameters, n) - deviation(parameters, n));
    if (stored.fill(place).bitsSet() < low) {
      damage(place, "at least " + low + ", which " + folded + " keys must have set");
    }
  }

  private void requireAtMost(int place, long keys) {
    BloomParameters parameters = filter().generations().get(place).parameters();
    long bitsSet = stored.fill(place).bitsSet();
    // Read after the bits: others go on to add.
    FilterHead now =
        observed
            .ask(tx -> Catalog.find(tx, filter().id()))
            .orElseThrow(() -> FilterNotReady.gone(filter()))
            .head();
    if (!filter().knows(now)) {
      return;
    }
    long added = Math.max(0, keys + now.keysSet() - filter().head().keysSet());
    double seen = Sizing.expectedFalsePositiveRate(parameters, added);
    if (seen > MOST_SEEN) {
      findings.unchecked(Check.FILL, "The filter is too full to tell how many bits are too many.");
      return;
    }
    double tries =
        (double) tries(added, Sizing.expectedFalsePositiveRate(parameters, tries(added, seen)));
    double high = expectedBits(parameters, tries) + deviation(parameters, tries);
    if (bitsSet > high) {
      String expected = "at most " + (long) high + ", which " + added + " keys can have set";
      damage(place, expected);
      // The row may be that of a smaller bit array.
      findings.doubt(Ground.CATALOG, "found more set bits than expected, " + expected);
    }
  }

  /** How many keys were tried, at most, until so many were new. */
  private static long tries(long keys, double seen) {
    double mean = keys / (1 - seen);
    // Six standard deviations of a negative binomial number.
    return (long) (mean + 6 * Math.sqrt(mean * seen / (1 - seen))) + 1;
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

  private void damage(int place, String expected) {
    findings.damage(
        Kind.FILL,
        Place.slots(filter().generations().get(place)),
        stored.fill(place).bitsSet() + " set bits",
        expected,
        LOOK);
  }
}
