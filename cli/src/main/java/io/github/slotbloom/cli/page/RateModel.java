package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Sizing;
import java.util.List;

/**
 * Computes the false positive rate of a filter from its number of keys. A key that was never added
 * counts as a member if any generation holds it. So for the rates p of the generations, the rate is
 * 1 - product (1 - p). All generations but the newest are full and do not change; new keys go to
 * the newest.
 */
final class RateModel {

  private final FilterInfo info;
  private final BloomParameters newest;
  private final double olderErr;
  private final long before;

  RateModel(FilterInfo info) {
    this.info = info;
    List<Generation> begun =
        info.generations().stream().filter(g -> g.state() != State.FILLING).toList();
    Generation last = begun.get(begun.size() - 1);
    // New keys of a window whose newest bucket is over go to another one, made much like it.
    boolean over = last.bucket().map(Bucket::over).orElse(false);
    List<Generation> older =
        begun.stream()
            .filter(g -> g.state() == State.ACTIVE && (over || g.number() != last.number()))
            .toList();
    newest = new BloomParameters(info.layout(), last.bits(), last.hashes());
    olderErr =
        Fill.anyFalsePositiveRate(
            older.stream().map(Generation::currentFalsePositiveRate).toList());
    // Growth adds room beyond the keys that the filter holds at that time.
    before =
        over ? info.keysSet() : older.isEmpty() ? 0 : Math.max(0, info.fullAt() - last.capacity());
  }

  /**
   * Returns how many keys the filter held when its newest generation was created; 0 if that is the
   * first.
   */
  long before() {
    return before;
  }

  /** Returns the expected rate of the filter for a number of keys. */
  double expected(long keys) {
    double rate = Sizing.expectedFalsePositiveRate(newest, Math.max(0, keys - before));
    return Fill.anyFalsePositiveRate(List.of(olderErr, rate));
  }

  /** Returns the current rate: from the set bits, or as expected while keys wait to be folded. */
  double now() {
    return info.currentFalsePositiveRate();
  }
}
