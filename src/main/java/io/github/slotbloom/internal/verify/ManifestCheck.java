package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.report.Finding.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the manifest in the row of the filter is that of the newest entry that has one. Which
 * hashes have to be in which generation depends on it. Not thread-safe.
 */
final class ManifestCheck {

  private static final String PUT_BACK =
      "Restore the manifest in bloom_filter, or restore the bloom_ tables from one backup.";

  private final Manifest stored;
  private final Findings findings;
  private @Nullable Manifest newest;

  ManifestCheck(FilterUnderVerification observed, Findings findings) {
    this.findings = findings;
    this.stored = observed.filter().manifest();
  }

  /** Takes in the next entry of the journal. */
  void take(JournalEntry entry) {
    if (entry.manifest() != null) {
      newest = entry.manifest();
    }
  }

  /**
   * Compares, once all entries were taken.
   *
   * @param oldest number of the first of them; null if there was none
   * @param sound whether none was missing after it, nor damaged
   */
  void finish(@Nullable Long oldest, boolean sound) {
    Manifest told = newest;
    if (told != null) {
      if (sound || told.seq() >= stored.seq()) {
        compare(told);
      }
    } else if (stored.seq() == 0) {
      compare(Manifest.imported(stored.read(), stored.token()));
    } else if (sound && oldest != null && stored.seq() >= oldest) {
      damage("the manifest of entry " + stored.seq(), "one that an entry of the journal has");
    }
  }

  private void compare(Manifest told) {
    String expected = ManifestText.of(told);
    if (!ManifestText.of(stored).equals(expected)) {
      damage(
          "the manifest " + ManifestText.of(stored),
          expected + ", as entry " + told.seq() + " says");
    }
  }

  private void damage(String found, String expected) {
    findings.damage(Kind.PARAMETERS, found, expected, PUT_BACK);
  }
}
