package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.MemoryFilter;
import io.github.slotbloom.perf.report.Figures;
import java.util.List;
import java.util.function.Predicate;

/**
 * How a filter answers at its capacity.
 *
 * @param falsePositives the share of absent keys that are seen
 * @param notFound added keys that are not seen
 * @param notRemoved added keys that cannot be removed, when each is removed once
 */
record FilterQuality(double falsePositives, long notFound, long notRemoved) {

  static FilterQuality of(MemoryFilter filter, int keys, int absent) {
    for (long number = 0; number < keys; number++) {
      filter.add(Keys.text(number));
    }
    double falsePositives = (double) count(filter::mightContain, Keys.ABSENT, absent) / absent;
    long notFound = keys - count(filter::mightContain, 0, keys);
    long notRemoved = keys - count(filter::remove, 0, keys);
    return new FilterQuality(falsePositives, notFound, notRemoved);
  }

  private static long count(Predicate<String> lookup, long first, int count) {
    long yes = 0;
    for (long number = first; number < first + count; number++) {
      yes += lookup.test(Keys.text(number)) ? 1 : 0;
    }
    return yes;
  }

  /** {@return the cells of a row in a table} */
  List<String> cells() {
    return List.of(Figures.of(falsePositives), Figures.of(notFound), Figures.of(notRemoved));
  }
}
