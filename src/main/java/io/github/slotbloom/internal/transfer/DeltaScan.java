package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.snapshot.EntrySink;
import io.github.slotbloom.internal.snapshot.SnapshotWriter;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.io.IOException;
import java.util.List;

/**
 * Reads the journal of a filter from an earlier export to its present end, while others append to
 * it. Each entry repeats the token of the one before, so what is read continues that export without
 * a gap and in the same history.
 *
 * @param filter as it is at the end
 */
record DeltaScan(FilterDirectory directory, FilterRecord filter, DeltaBase base) {

  /**
   * Begins with a filter as it is now.
   *
   * @throws FilterMismatchException if it can have no delta, or went back behind the base
   */
  static DeltaScan begin(FilterDirectory directory, FilterName name, DeltaBase base) {
    DeltaScan scan = new DeltaScan(directory, FilterScan.active(directory, name), base);
    if (scan.filter.window() != null) {
      throw scan.refused("it is a window, and a delta carries no buckets");
    }
    if (scan.filter.manifest().target() != null) {
      throw scan.refused("it is being replaced");
    }
    long last = scan.filter.head().lastSeq();
    if (base.seq() > last || base.known().stream().anyMatch(entry -> entry.seq() > last)) {
      throw scan.refused("its journal ends with entry " + last + " by now");
    }
    return scan;
  }

  /** Returns the entry before the first one that is read. */
  Cursor begins() {
    Cursor end = filter.head().end();
    long seq = base.seq();
    Cursor begins =
        seq == end.seq() ? end : new Cursor(seq, after(seq, seq + 1).get(0).previousToken());
    requireKnown(begins);
    return begins;
  }

  /**
   * Passes on all entries up to the end.
   *
   * @throws FilterMismatchException if an entry cannot be carried, is gone, or is of another
   *     history than the base; the message shows both sides
   */
  void readAll(Cursor begins, EntrySink sink) throws IOException {
    Cursor end = filter.head().end();
    Cursor reached = begins;
    while (reached.seq() < end.seq()) {
      for (JournalEntry entry : after(reached.seq(), end.seq())) {
        if (entry.previousToken() != reached.token()) {
          throw FilterScan.changed(filter);
        }
        requireCarried(entry);
        sink.accept(entry);
        reached = entry.cursor();
        requireKnown(reached);
      }
    }
    if (!reached.equals(end)) {
      throw FilterScan.changed(filter);
    }
  }

  private List<JournalEntry> after(long seq, long last) {
    List<JournalEntry> entries = directory.askPatiently(tx -> Journal.held(tx, filter, seq, last));
    if (!entries.isEmpty() && entries.get(0).seq() == seq + 1) {
      return entries;
    }
    if (directory.require(filter).head().lastSeq() < filter.head().lastSeq()) {
      throw FilterScan.changed(filter);
    }
    throw refused(
        ("its journal no longer has entry %s: entries are kept for %s minutes, so make each delta"
                + " within that time of the export before")
            .formatted(seq + 1, filter.retention().toMinutes()));
  }

  private void requireKnown(Cursor reached) {
    for (Cursor known : base.known()) {
      if (known.seq() == reached.seq() && known.token() != reached.token()) {
        throw refused(
            ("its entry %s is not the one of that export, so they are two filters, or the database"
                    + " went back to an earlier state since")
                .formatted(reached.seq()));
      }
    }
  }

  private void requireCarried(JournalEntry entry) {
    if (!SnapshotWriter.carries(entry.kind())) {
      throw refused(
          "its entry %s brings %s, which no delta carries".formatted(entry.seq(), content(entry)));
    }
  }

  private static String content(JournalEntry entry) {
    Manifest manifest = entry.manifest();
    if (manifest == null) {
      return entry.kind() == JournalEntry.Kind.FILL
          ? "keys of a replacement"
          : "keys of another filter";
    }
    return manifest.begins() == entry.seq() ? "a clear" : "other generations";
  }

  private FilterMismatchException refused(String why) {
    return new FilterMismatchException(
        "Filter %s cannot be exported since %s: %s. Make a full export."
            .formatted(filter.name(), base.description(), why));
  }
}
