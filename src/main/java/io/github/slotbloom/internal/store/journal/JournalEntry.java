package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.filter.Aim;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.filter.ManifestText;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a filter's journal. It holds hashes of keys, bits of another filter, or a manifest.
 *
 * @param hashes 64-bit hashes of the keys; not copied, so it must not be changed
 * @param manifest the generations from this entry on; null if it has none
 * @param merged bits of another filter; null if the entry has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of 64 KiB is not free
public record JournalEntry(
    long seq,
    long token,
    long previousToken,
    Kind kind,
    long[] hashes,
    @Nullable Manifest manifest,
    @Nullable MergedBits merged) {

  public enum Kind {
    /** The keys are new. */
    ADD,
    /**
     * The keys are removed. Their bits stay set, and are set in a generation that is being filled
     * as well, so that each removed key has its bits and counts until the filter is rebuilt.
     */
    REMOVE,
    /** The keys were removed, and are new again. Their bits are still set. */
    RETURN,
    /** The keys were removed, and are new again. Their bits are set again. */
    READD,
    /** The keys seem to be in an older bucket only. From now on they live as long as new ones. */
    RENEW,
    /** The keys are in the filter, and go to the generation that is to replace the others. */
    FILL,
    /** The keys seem to be in the filter, which retains the hashes of all added keys. */
    SEEN,
    /** The bits come from another filter. From this entry on, its keys are in this filter too. */
    MERGE,
    /** There are other generations from this entry on. */
    MANIFEST;

    /** Returns true if the keys of such an entry were answered "new". */
    public boolean adds() {
      return this == ADD || bringsBack();
    }

    /** Returns true if the keys of such an entry were removed before. */
    public boolean bringsBack() {
      return this == RETURN || this == READD;
    }

    /** Returns true if such an entry says whether its keys are removed. */
    public boolean decidesRemoval() {
      return this == REMOVE || bringsBack();
    }

    /** Returns which generations get the bits of the keys. */
    public Aim aim() {
      return switch (this) {
        case ADD, READD, RENEW -> Aim.NEWEST;
        case REMOVE, RETURN, FILL -> Aim.FILLING;
        case SEEN, MERGE, MANIFEST -> Aim.NONE;
      };
    }
  }

  public static final int MAX_HASHES = MergedBits.MAX_PAYLOAD / Long.BYTES;

  /** The most entries that one statement reads; 16 MiB if they are full. */
  static final int PAGE = 256;

  /** The columns that an entry is decoded from. */
  static final List<Field<?>> FIELDS =
      List.of(
          Journals.SEQ, Journals.TOKEN, Journals.PREVIOUS_TOKEN, Journals.KIND, Journals.PAYLOAD);

  private static final long[] NO_HASHES = {};

  /** Creates an entry with keys, after the end of the journal. */
  public static JournalEntry ofKeys(Kind kind, long[] hashes, Cursor end, long token) {
    return new JournalEntry(end.seq() + 1, token, end.token(), kind, hashes, null, null);
  }

  /** Creates the entry that brings bits of another filter, after the end of the journal. */
  public static JournalEntry merging(MergedBits merged, Cursor end, long token) {
    return new JournalEntry(end.seq() + 1, token, end.token(), Kind.MERGE, NO_HASHES, null, merged);
  }

  /** Creates the entry that a manifest comes with, after the end of the journal. */
  public static JournalEntry of(Manifest manifest, Cursor end) {
    if (manifest.seq() != end.seq() + 1) {
      throw new IllegalArgumentException(
          "a manifest of entry " + manifest.seq() + " after entry " + end.seq());
    }
    return new JournalEntry(
        manifest.seq(), manifest.token(), end.token(), Kind.MANIFEST, NO_HASHES, manifest, null);
  }

  static JournalEntry decode(FilterRecord filter, Record row) {
    Kind kind = kind(filter.name(), row);
    return switch (kind) {
      case ADD, REMOVE, RETURN, READD, RENEW, FILL, SEEN -> keys(filter.name(), row, kind);
      case MANIFEST -> manifest(filter, row);
      case MERGE -> merged(filter.name(), filter.layout(), row);
    };
  }

  private static Kind kind(FilterName filter, Record row) {
    String stored = row.get(Journals.KIND);
    for (Kind kind : Kind.values()) {
      if (kind.name().equals(stored)) {
        return kind;
      }
    }
    throw new UnsupportedVersionException(
        which(filter, row)
            + " is of the kind "
            + stored
            + ", which this version of Slotbloom does not know. Use the version that wrote it, or a"
            + " newer one.");
  }

  private static String which(FilterName filter, Record row) {
    return "Journal entry " + row.get(Journals.SEQ) + " of filter " + filter;
  }

  private static JournalEntry keys(FilterName filter, Record row, Kind kind) {
    byte[] payload = row.get(Journals.PAYLOAD);
    if (payload.length == 0
        || payload.length % Long.BYTES != 0
        || payload.length > MAX_HASHES * Long.BYTES) {
      throw corrupt(
          filter, row, "which is not 1 to " + MAX_HASHES + " hashes of " + Long.BYTES + " bytes");
    }
    return entry(row, kind, HashBlock.hashes(payload), null, null);
  }

  private static JournalEntry manifest(FilterRecord filter, Record row) {
    String text = new String(row.get(Journals.PAYLOAD), StandardCharsets.US_ASCII);
    ManifestText form = new ManifestText(filter.tables(), filter.layout(), filter.window());
    try {
      Manifest manifest = form.read(text);
      if (manifest.seq() != row.get(Journals.SEQ)) {
        throw corrupt(filter.name(), row, "a manifest of entry " + manifest.seq());
      }
      return entry(row, Kind.MANIFEST, NO_HASHES, manifest, null);
    } catch (InvalidParameterException e) {
      throw corrupt(filter.name(), row, "a manifest of which " + e.getMessage());
    }
  }

  private static JournalEntry merged(FilterName filter, Layout layout, Record row) {
    try {
      MergedBits bits = MergedBits.decode(layout, row.get(Journals.PAYLOAD));
      return entry(row, Kind.MERGE, NO_HASHES, null, bits);
    } catch (InvalidParameterException e) {
      throw corrupt(filter, row, "which are no bits of another filter: " + e.getMessage());
    }
  }

  private static JournalEntry entry(
      Record row,
      Kind kind,
      long[] hashes,
      @Nullable Manifest manifest,
      @Nullable MergedBits merged) {
    return new JournalEntry(
        row.get(Journals.SEQ),
        row.get(Journals.TOKEN),
        row.get(Journals.PREVIOUS_TOKEN),
        kind,
        hashes,
        manifest,
        merged);
  }

  private static CorruptFilterException corrupt(FilterName filter, Record row, String why) {
    return new CorruptFilterException(
        which(filter, row)
            + " has a payload of "
            + row.get(Journals.PAYLOAD).length
            + " bytes, "
            + why
            + ". Restore the table bloom_journal from a backup.");
  }

  byte[] payload() {
    if (merged != null) {
      return merged.payload();
    }
    return manifest == null
        ? HashBlock.bytes(hashes)
        : ManifestText.of(manifest).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Passes on the places of the generations that take the keys or bits of the entry.
   *
   * @param manifest as new as the entry, or newer
   * @param taker receives their places in {@link Manifest#all}
   */
  public void forEachTaker(Manifest manifest, IntConsumer taker) {
    if (merged == null) {
      manifest.forEachTaker(kind.aim(), seq, taker);
    } else {
      IntStream.range(0, manifest.read().size())
          .filter(place -> merged.isFor(manifest.read().get(place)))
          .forEach(taker);
    }
  }

  /** Passes on the bits that the entry sets in a generation that takes it. */
  public void forEachMask(Probe probe, SlotMaskConsumer sink) {
    if (merged == null) {
      probe.forEachMask(hashes, sink);
    } else {
      merged.forEachMask(sink);
    }
  }

  /**
   * Returns the work of taking the entry in: its number of hashes, or about its number of slots.
   */
  public int weight() {
    return merged == null ? hashes.length : merged.runs().length / Long.BYTES;
  }

  public Cursor cursor() {
    return new Cursor(seq, token);
  }
}
