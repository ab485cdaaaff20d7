package io.github.slotbloom.internal.engine;

import io.github.slotbloom.report.FilterUsage;
import java.util.concurrent.atomic.LongAdder;

/** Counts the questions to one open filter and its answers. Thread-safe. */
final class Tally {

  private final LongAdder negatives = new LongAdder();
  private final LongAdder positives = new LongAdder();
  private final LongAdder newKeys = new LongAdder();
  private final LongAdder seenKeys = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder waited = new LongAdder();

  void answered(boolean present) {
    (present ? positives : negatives).increment();
  }

  void answered(boolean[] present) {
    int yes = count(present);
    positives.add(yes);
    negatives.add(present.length - yes);
  }

  void added(boolean fresh) {
    (fresh ? newKeys : seenKeys).increment();
  }

  void added(boolean[] fresh) {
    int yes = count(fresh);
    newKeys.add(yes);
    seenKeys.add(fresh.length - yes);
  }

  /** Takes in that some of the keys waited for the database. */
  void waited(int keys) {
    waited.add(keys);
  }

  void falsePositives(boolean[] reported) {
    falsePositives.add(count(reported));
  }

  private static int count(boolean[] answers) {
    int yes = 0;
    for (boolean answer : answers) {
      if (answer) {
        yes++;
      }
    }
    return yes;
  }

  FilterUsage usage() {
    return new FilterUsage(
        negatives.sum(), positives.sum(), newKeys.sum(), seenKeys.sum(), falsePositives.sum());
  }

  long waited() {
    return waited.sum();
  }
}
