package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.RescuedRows;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.journal.Rescued;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the rows of the rescued keys are as the journal tells. Read after the journal.
 *
 * <p>Processes with a mirror follow the journal, and the others read the rows, so a difference
 * makes them answer differently. Others rescue keys meanwhile: the rows are read with the end of
 * the journal in one statement, and then the entries up to that end. Not thread-safe.
 */
record RescuedKeysCheck(FilterUnderVerification observed, JournalCheck journal, Findings findings) {

  private static final String REMEDY =
      "Rescue the key again, and end that rescue if it is to be blocked. If nobody knows the key,"
          + " correct the row, and open the filter anew in each process.";

  /**
   * What was read at one moment.
   *
   * @param untilMicros until when each hash is rescued, of those that are
   * @param nowMicros what the clock of the database said afterward
   * @param everRescued whether a key was ever rescued by the row of the filter, afterward
   */
  private record Rows(
      Map<Long, Long> untilMicros, long lastSeq, long nowMicros, boolean everRescued) {}

  void run() {
    Rows rows = observed.transactions().attempt(this::read);
    if (!rows.everRescued()) {
      if (!rows.untilMicros().isEmpty()) {
        damage(
            "rescued = 0 in bloom_filter, and rows of rescued keys",
            "rescued = 1, since otherwise no process loads these rows into memory",
            "Rescue any key, and end that rescue. Then open the filter anew in each process.");
      }
      return;
    }
    Map<Long, Long> told = journal.rescuedMicros(rows.lastSeq()).orElse(null);
    if (told == null) {
      findings.unchecked(Check.RESCUED_KEYS, "The journal is damaged.");
      return;
    }
    Set<Long> hashes = new TreeSet<>(rows.untilMicros().keySet());
    hashes.addAll(told.keySet());
    hashes.forEach(hash -> compare(hash, rows, told.get(hash)));
    findings.checked(Check.RESCUED_KEYS, rows.untilMicros().size(), "rescued keys");
  }

  private Rows read(Tx tx) {
    Map<Long, Long> untilMicros = new HashMap<>();
    long lastSeq =
        RescuedRows.read(tx, observed.filter().id(), untilMicros::put)
            .orElseThrow(() -> FilterNotReady.gone(observed.filter().name()))
            .seq();
    long now = WindowRows.nowMicros(tx);
    boolean everRescued =
        Catalog.find(tx, observed.filter().id())
            .orElseThrow(() -> FilterNotReady.gone(observed.filter().name()))
            .head()
            .rescued();
    return new Rows(untilMicros, lastSeq, now, everRescued);
  }

  /**
   * @param told until when the newest entry about the hash rescues it; null if there is none
   */
  private void compare(long hash, Rows rows, @Nullable Long told) {
    Long row = rows.untilMicros().get(hash);
    if (told == null) {
      if (journal.isComplete()) {
        damage(hash, row, "no row, since no entry tells of it");
      }
    } else if (told == Rescued.ENDED) {
      if (row != null) {
        damage(hash, row, "no row, since an entry ended the rescue");
      }
    } else if (row == null ? told > rows.nowMicros() : !row.equals(told)) {
      damage(hash, row, "a row until " + time(told) + ", as the newest entry about it says");
    }
  }

  private void damage(long hash, @Nullable Long row, String expected) {
    damage(
        (row == null ? "no row that lasts" : "a row until " + time(row)) + " of hash " + hash,
        expected,
        REMEDY);
  }

  private void damage(String found, String expected, String remedy) {
    findings.damage(Kind.RESCUED_KEYS, Place.table("bloom_rescued"), found, expected, remedy);
  }

  private static String time(long micros) {
    return micros == Rescued.FOR_EVER ? "forever" : Instant.ofEpochMilli(micros / 1000).toString();
  }
}
