package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Sizing;
import java.util.List;

/**
 * The error rate of a filter by the number of its keys. A key that was never added is taken for a
 * member if any generation takes it for one, so of the rates p of its generations it is 1 - product
 * (1 - p). All but the newest are full, and stay as they are; new keys go to the newest.
 */
final class RateModel {

  private final FilterInfo info;
  private final BloomParameters newest;
  private final double olderErr;
  private final long before;

  RateModel(FilterInfo info) {
    this.info = info;
    List<Generation> answering =
        info.generations().stream().filter(g -> g.state() == State.ACTIVE).toList();
    Generation last = answering.get(answering.size() - 1);
    List<Generation> older = answering.subList(0, answering.size() - 1);
    newest = new BloomParameters(info.layout(), last.bits(), last.hashes());
    olderErr =
        Fill.anyFalsePositiveRate(
            older.stream().map(Generation::currentFalsePositiveRate).toList());
    // Growth makes room for what the filter does not hold then.
    before = older.isEmpty() ? 0 : Math.max(0, info.capacity() - last.capacity());
  }

  /** How many keys the filter held when its newest generation was made; 0 if that is the first. */
  long before() {
    return before;
  }

  /** The rate to expect of the filter once it holds so many keys. */
  double expected(long keys) {
    double rate = Sizing.expectedFalsePositiveRate(newest, Math.max(0, keys - before));
    return Fill.anyFalsePositiveRate(List.of(olderErr, rate));
  }

  /**
   * The rate now, from the bits that are set. Slots lack the bits of entries that are not folded,
   * so as long as there are some it is what the number of keys makes likely, where that is more.
   */
  double now() {
    return info.backlog() == 0
        ? info.currentFalsePositiveRate()
        : Math.max(info.currentFalsePositiveRate(), expected(info.keysAdded()));
  }
}
