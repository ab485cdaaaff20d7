package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.WindowGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Generations of a window that answer and whose keys are counted together: those of one bucket, and
 * of each bucket before it whose newest generation went on in the next one.
 *
 * @param first the place of the oldest of them
 * @param last the place of the newest of them, whose row has the counts once its bucket is over
 * @param isWhole true if none of them can have expired and be missing here
 * @param row the row of the newest of them
 */
record CountedGenerations(int first, int last, boolean isWhole, WindowGeneration row) {

  /** Groups the generations that answer, oldest first. */
  static List<CountedGenerations> of(FilterUnderVerification observed) {
    Map<Integer, WindowGeneration> rows =
        observed.rows().stream()
            .collect(Collectors.toMap(WindowGeneration::number, Function.identity()));
    List<GenerationRecord> read = observed.filter().generations();
    List<CountedGenerations> groups = new ArrayList<>();
    int first = 0;
    for (int place = 0; place < read.size(); place++) {
      WindowGeneration row = row(rows, read.get(place));
      if (place + 1 == read.size() || isLast(read, place, row, row(rows, read.get(place + 1)))) {
        WindowGeneration oldest = row(rows, read.get(first));
        boolean isWhole = first > 0 || !oldest.wentOn() || read.get(0).sinceSeq() == 0;
        groups.add(new CountedGenerations(first, place, isWhole, row));
        first = place + 1;
      }
    }
    return groups;
  }

  /** Returns false if the next one is in the same bucket, or was, and went on. */
  private static boolean isLast(
      List<GenerationRecord> read, int place, WindowGeneration row, WindowGeneration next) {
    return !read.get(place).isInBucketOf(read.get(place + 1))
        && (row.isCounted() || !next.wentOn());
  }

  private static WindowGeneration row(
      Map<Integer, WindowGeneration> rows, GenerationRecord generation) {
    return Objects.requireNonNull(rows.get(generation.number()));
  }

  /** Returns true if it is a single generation, which took all keys that are counted with it. */
  boolean isSingle() {
    return isWhole && first == last;
  }
}
