package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.io.IOException;

/** Receives the journal entries of a delta in their order. */
@FunctionalInterface
public interface EntrySink {
  void accept(JournalEntry entry) throws IOException;
}
