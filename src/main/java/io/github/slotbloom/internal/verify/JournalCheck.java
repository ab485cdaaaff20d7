package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.store.filter.Aim;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.journal.JournalAudit;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.StoredEntry;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal from its oldest entry to the end that it had when the verification began: whether
 * it is whole, and whether the slots and the manifest are what it says.
 *
 * <p>Others may trim it meanwhile, oldest entries first. So where entries are missing, the check
 * looks whether an older one is still there, and whether the missing ones were folded. Not
 * thread-safe.
 */
final class JournalCheck {

  private static final String RESTORE =
      "Restore the bloom_ tables from one backup, or clear the filter and add its keys again.";

  private static final String MERGE_AGAIN =
      "Merge that filter again, or in a window add the keys of that bucket again, or restore the"
          + " bloom_ tables from one backup.";

  private static final String OUTLIVE =
      "If the slots are sound, nothing is lost, and this finding goes away when the entry"
          + " would have been trimmed. Verify with the keys to be sure.";

  private final FilterUnderVerification observed;
  private final Findings findings;
  private final FilterRecord filter;
  private final Manifest manifest;
  private final HashLookup lookup;
  private long entries;
  private long addedHashes;
  private final long[] unfoldedHashes;
  private final RemovalHistory removals = new RemovalHistory();

  private boolean complete;
  private boolean sound = true;
  private boolean unfoldedKnown = true;
  private @Nullable Long oldest;
  private long reached;
  private @Nullable Long token;
  private @Nullable Manifest newestManifest;

  JournalCheck(FilterUnderVerification observed, HashLookup lookup, Findings findings) {
    this.findings = findings;
    this.observed = observed;
    this.filter = observed.filter();
    this.manifest = filter.manifest();
    this.lookup = lookup;
    unfoldedHashes = new long[manifest.all().size()];
  }

  /**
   * @param progress hears how many entries are read
   */
  void run(LongConsumer progress) {
    Long first = observed.ends().firstSeq();
    boolean nothingTrimmed = !observed.ends().mayBeTrimmed();
    complete =
        !hasImportedKeys()
            && (nothingTrimmed
                || Objects.requireNonNullElse(first, observed.lastSeq() + 1)
                    <= manifest.begins() + 1);
    // Before it nothing is known. The newest entry is never trimmed.
    long begin =
        nothingTrimmed ? 1 : Objects.requireNonNullElse(first, Math.max(1, observed.lastSeq()));
    reached = Math.min(begin - 1, observed.foldedSeq());
    boolean noneSince = first == null && observed.ends().imported();
    if (noneSince && observed.foldedSeq() >= observed.lastSeq()) {
      reached = observed.lastSeq();
    }
    List<StoredEntry> page = page();
    while (!page.isEmpty()) {
      page.forEach(this::take);
      progress.accept(entries);
      page = page();
    }
    if (reached < observed.lastSeq()) {
      missing(observed.lastSeq() + 1);
    } else if (token != null && token != filter.head().lastToken()) {
      damage(
          Kind.CHAIN_BROKEN,
          reached,
          "the newest entry has the token " + token,
          "the token " + filter.head().lastToken() + ", as row 0 of bloom_journal says",
          RESTORE);
    }
    observed
        .ask(tx -> JournalAudit.beyondEnd(tx, filter.id()))
        .ifPresent(
            seq -> {
              damage(
                  Kind.CHAIN_BROKEN,
                  seq,
                  "an entry beyond the end",
                  "none after the last_seq in row 0 of bloom_journal",
                  RESTORE);
            });
    checkManifest();
    findings.checked(Check.JOURNAL, entries, "entries");
  }

  private List<StoredEntry> page() {
    return reached >= observed.lastSeq()
        ? List.of()
        : observed.ask(tx -> JournalAudit.page(tx, filter, reached, observed.lastSeq()));
  }

  private void take(StoredEntry stored) {
    if (stored.seq() != reached + 1) {
      missing(stored.seq());
      token = null;
    }
    if (token != null && token != stored.previousToken()) {
      damage(
          Kind.CHAIN_BROKEN,
          stored.seq(),
          "the previous_token " + stored.previousToken(),
          "the token of entry " + reached + ", " + token,
          remedy(stored.seq()));
    }
    oldest = Objects.requireNonNullElse(oldest, stored.seq());
    reached = stored.seq();
    token = stored.token();
    entries++;
    JournalEntry entry = stored.entry();
    if (entry == null) {
      damage(
          Kind.ENTRY_DAMAGED,
          stored.seq(),
          Objects.requireNonNull(stored.fault()),
          "an entry as it was written",
          remedy(stored.seq()));
    } else {
      take(entry);
    }
  }

  private void take(JournalEntry entry) {
    boolean folded = entry.seq() <= observed.foldedSeq();
    if (entry.manifest() != null) {
      newestManifest = entry.manifest();
    }
    if (entry.seq() <= manifest.begins()) {
      return;
    }
    if (folded) {
      removals.take(entry);
    }
    if (entry.kind() == JournalEntry.Kind.ADD) {
      addedHashes += entry.hashes().length;
    }
    if (!folded) {
      entry.forEachTaker(manifest, place -> unfoldedHashes[place] += entry.hashes().length);
      return;
    }
    if (entry.merged() != null) {
      entry.forEachTaker(manifest, place -> requireBits(entry, manifest.all().get(place)));
      return;
    }
    boolean adds = entry.kind().aim() == Aim.NEWEST || entry.kind() == JournalEntry.Kind.SEEN;
    if (adds && isReplaced(entry.seq())) {
      lookup.mayBeForgotten(entry.hashes(), entry.seq());
    } else if (entry.kind() == JournalEntry.Kind.SEEN) {
      lookup.requireAnywhere(entry.hashes(), entry.seq());
    }
    entry.forEachTaker(manifest, place -> lookup.require(place, entry.hashes(), entry.seq()));
  }

  /** Checks that the slots hold the bits that another filter or a repair brought. */
  private void requireBits(JournalEntry entry, GenerationRecord generation) {
    SlotMasks wanted = new SlotMasks();
    entry.forEachMask(Probe.of(generation.parameters()), wanted);
    long[] slots = wanted.sortedSlots();
    SlotMasks found = new SlotMasks();
    observed.run(tx -> new SlotRows(generation).read(tx, slots, found));
    for (long slot : slots) {
      long lacking = wanted.mask(slot) & ~found.mask(slot);
      if (lacking != 0) {
        findings.damage(
            Kind.BITS_MISSING,
            Place.slot(generation, slot, entry.seq()),
            SlotTableCheck.hex(found.mask(slot)),
            "the bits " + SlotTableCheck.hex(lacking) + " as well, which a merge or a repair set",
            MERGE_AGAIN);
      }
    }
  }

  /**
   * Checks that the manifest in the row of the filter is that of the newest entry that has one.
   * Which hashes have to be in which generation depends on it.
   */
  private void checkManifest() {
    Manifest told = newestManifest;
    if (told != null) {
      if (sound || told.seq() >= manifest.seq()) {
        compareManifest(told);
      }
    } else if (manifest.seq() == 0) {
      compareManifest(Manifest.imported(manifest.read(), manifest.token()));
    } else if (sound && oldest != null && manifest.seq() >= oldest) {
      findings.damage(
          Kind.PARAMETERS,
          "the manifest of entry " + manifest.seq() + " in bloom_filter",
          "one that an entry of the journal has",
          ParameterCheck.PUT_BACK);
    }
  }

  private void compareManifest(Manifest told) {
    String expected = ManifestText.of(told);
    if (!ManifestText.of(manifest).equals(expected)) {
      findings.damage(
          Kind.PARAMETERS,
          "the manifest " + ManifestText.of(manifest) + " in bloom_filter",
          expected + ", as entry " + told.seq() + " says",
          ParameterCheck.PUT_BACK);
    }
  }

  /** Returns true if what was added by that entry came from a source since, if at all. */
  private boolean isReplaced(long seq) {
    GenerationRecord oldest = manifest.read().get(0);
    return oldest.cutoverSeq() > 0 && seq <= oldest.sinceSeq();
  }

  /** Returns true if the filter has keys that never were in its journal. */
  private boolean hasImportedKeys() {
    return observed.ends().imported() && manifest.begins() == 0;
  }

  /** Says that entries are missing before that one, unless they were trimmed meanwhile. */
  private void missing(long next) {
    long first = reached + 1;
    JournalEnds now = observed.ask(observed::endsNow);
    complete = false;
    if (now.isTrimmedTo(next)) {
      unfoldedKnown &= next - 1 <= observed.foldedSeq();
      return;
    }
    broken(next - 1);
    boolean unfolded = next - 1 > observed.foldedSeq();
    findings.damage(
        Kind.ENTRY_MISSING,
        Place.entry(first),
        first == next - 1 ? "no entry " + first : "no entries " + first + " to " + (next - 1),
        unfolded
            ? "an entry that is not folded yet: its keys are nowhere else"
            : "an entry, since an older one is there or nothing is old enough to be trimmed",
        unfolded ? RESTORE : OUTLIVE);
  }

  private void damage(Kind kind, long seq, String found, String expected, String remedy) {
    broken(seq);
    findings.damage(kind, Place.entry(seq), found, expected, remedy);
  }

  private String remedy(long seq) {
    return seq > observed.foldedSeq() ? RESTORE : OUTLIVE;
  }

  private void broken(long seq) {
    sound = false;
    unfoldedKnown &= seq <= observed.foldedSeq();
  }

  /** Returns true if all entries that need not be in the slots yet were read, and are sound. */
  boolean isUnfoldedKnown() {
    return unfoldedKnown;
  }

  /** The number of the oldest entry that was read; null if there was none. */
  @Nullable Long oldest() {
    return oldest;
  }

  /** Returns true if it is whole as far as it goes. */
  boolean isSound() {
    return sound;
  }

  /** Returns true if it holds everything since the filter was created. */
  boolean isComplete() {
    return complete && sound;
  }

  /** Returns true if each key that is counted was counted as it was added here. */
  boolean isCountExact() {
    return !filter.head().merged() && !hasImportedKeys();
  }

  /** The removed keys, by the folded entries. */
  RemovalHistory removals() {
    return removals;
  }

  /**
   * Passes on the entries after one, up to another that may be newer than the verification. Returns
   * false if one of them is missing, or cannot be read.
   */
  boolean forEachLater(long after, long last, Consumer<JournalEntry> sink) {
    long read = after;
    while (read < last) {
      long from = read;
      List<StoredEntry> page = observed.ask(tx -> JournalAudit.page(tx, filter, from, last));
      for (StoredEntry next : page) {
        if (next.seq() != read + 1 || next.entry() == null) {
          return false;
        }
        read++;
        sink.accept(next.entry());
      }
      if (page.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Returns how many hashes the entries that are not folded bring to the generation there. */
  long unfoldedHashes(int place) {
    return unfoldedHashes[place];
  }

  /** Hashes in entries of new keys. */
  long addedHashes() {
    return addedHashes;
  }
}
