package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import org.junit.jupiter.api.Test;

class AppendedByCallersTest {

  private static final Cursor MIRROR = new Cursor(7, 70);

  private final AppendedByCallers appended = new AppendedByCallers();

  @Test
  void whatLeadsFromTheMirrorToTheEndIsKnown() {
    JournalEntry first = add(8, 80, 70, 1);
    JournalEntry second = add(9, 90, 80, 1);
    assertThat(appended.between(MIRROR, second.cursor())).containsExactly(first, second);
    assertThat(appended.between(MIRROR, first.cursor())).containsExactly(first);
    assertThat(appended.between(MIRROR, MIRROR)).isEmpty();
  }

  @Test
  void anEntryThatWasRolledBackIsPassedOver() {
    add(8, 80, 70, 1);
    JournalEntry again = add(8, 81, 70, 1);
    JournalEntry next = add(9, 90, 81, 1);
    assertThat(appended.between(MIRROR, next.cursor())).containsExactly(again, next);
  }

  @Test
  void anEntryOfAnotherProcessLeavesAllToBeRead() {
    add(8, 80, 70, 1);
    JournalEntry third = add(10, 100, 90, 1);
    assertThat(appended.between(MIRROR, third.cursor())).isEmpty();
    // It took the number of the one that was rolled back.
    assertThat(appended.between(MIRROR, new Cursor(8, 88))).isEmpty();
  }

  @Test
  void oldAndLargeEntriesAreForgotten() {
    JournalEntry large = add(8, 80, 70, 129);
    assertThat(appended.between(MIRROR, large.cursor())).isEmpty();
    JournalEntry[] later = new JournalEntry[65];
    for (int i = 0; i < later.length; i++) {
      later[i] = add(9 + i, 90 + i, i == 0 ? 80 : 89 + i, 128);
    }
    Cursor end = later[64].cursor();
    assertThat(appended.between(later[0].cursor(), end)).hasSize(64);
    assertThat(appended.between(large.cursor(), end)).isEmpty();
  }

  private JournalEntry add(long seq, long token, long previousToken, int keys) {
    JournalEntry entry =
        new JournalEntry(seq, token, previousToken, Kind.ADD, new long[keys], null, null);
    appended.add(entry);
    return entry;
  }
}
