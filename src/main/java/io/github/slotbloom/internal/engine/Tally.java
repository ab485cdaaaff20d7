package io.github.slotbloom.internal.engine;

import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics.DatabaseAnswers;
import java.util.concurrent.atomic.LongAdder;

/** Counts the lookups to one open filter and its answers. Thread-safe. */
public final class Tally {

  /** All that was asked and answered, and which of the answers the database gave. */
  record Counts(FilterUsage usage, DatabaseAnswers byDatabase) {}

  private final LongAdder negatives = new LongAdder();
  private final LongAdder positives = new LongAdder();
  private final LongAdder negativesByDatabase = new LongAdder();
  private final LongAdder positivesByDatabase = new LongAdder();
  private final LongAdder newKeys = new LongAdder();
  private final LongAdder seenKeys = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder waited = new LongAdder();

  /** Takes in an answer from memory. */
  void answered(boolean present) {
    (present ? positives : negatives).increment();
  }

  /** Takes in an answer for which the database was asked. */
  void answeredByDatabase(boolean present) {
    (present ? positivesByDatabase : negativesByDatabase).increment();
  }

  /** Takes in the answers of one call, for which the database was asked or not. */
  void answered(boolean[] present, boolean byDatabase) {
    int yes = count(present);
    (byDatabase ? positivesByDatabase : positives).add(yes);
    (byDatabase ? negativesByDatabase : negatives).add(present.length - yes);
  }

  void added(boolean fresh) {
    (fresh ? newKeys : seenKeys).increment();
  }

  void added(boolean[] fresh) {
    int yes = count(fresh);
    newKeys.add(yes);
    seenKeys.add(fresh.length - yes);
  }

  /** Takes in adds of a caller's transaction, which always queries the database. */
  public void addedInTransaction(int fresh, int seen) {
    newKeys.add(fresh);
    seenKeys.add(seen);
    waited.add(fresh + seen);
  }

  /** Takes in that some of the keys waited for the database. */
  void waited(int keys) {
    waited.add(keys);
  }

  void falsePositives(boolean[] reported) {
    falsePositives.add(count(reported));
  }

  /** Returns how many of the answers are true. */
  public static int count(boolean[] answers) {
    int yes = 0;
    for (boolean answer : answers) {
      if (answer) {
        yes++;
      }
    }
    return yes;
  }

  /**
   * Each count is read once, so that neither what the database answered nor the rest ever falls.
   */
  Counts counts() {
    DatabaseAnswers byDatabase =
        new DatabaseAnswers(negativesByDatabase.sum(), positivesByDatabase.sum());
    return new Counts(
        new FilterUsage(
            negatives.sum() + byDatabase.negatives(),
            positives.sum() + byDatabase.positives(),
            newKeys.sum(),
            seenKeys.sum(),
            falsePositives.sum()),
        byDatabase);
  }

  FilterUsage usage() {
    return counts().usage();
  }

  long waited() {
    return waited.sum();
  }
}
