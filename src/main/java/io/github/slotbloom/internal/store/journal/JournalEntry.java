package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.store.Tables.Journals;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.slots.MergedBits;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a filter's journal. It holds hashes of keys, bits of another filter, or a change of
 * a generation.
 *
 * @param seq number of the entry
 * @param token random token of the entry
 * @param previousToken token of the entry before
 * @param kind the kind of the entry
 * @param hashes 64-bit hashes of the keys; not copied, so it must not be changed
 * @param begun the generation that takes the keys of later entries; null if the entry begins none
 * @param merged bits of another filter; null if the entry has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy of 64 KiB is not free
public record JournalEntry(
    long seq,
    long token,
    long previousToken,
    Kind kind,
    long[] hashes,
    @Nullable GenerationRecord begun,
    @Nullable MergedBits merged) {

  /** The kind of an entry. */
  public enum Kind {
    /** The keys are new. */
    ADD,
    /**
     * The keys are removed. Their bits stay set, and are set in a generation that is being filled
     * as well, so that each removed key has its bits and counts until the filter is built anew.
     */
    REMOVE,
    /** The keys were removed, and are new again. Their bits are still set. */
    RETURN,
    /** The keys were removed, and are new again. Their bits are set anew. */
    READD,
    /** The keys seem to be in an older bucket only. From now on they live as long as new ones. */
    RENEW,
    /** The keys are in the filter, and go to the generation that is to replace the others. */
    FILL,
    /** The keys seem to be in the filter, which retains the hashes of all added keys. */
    SEEN,
    /** The bits come from another filter. From this entry on, its keys are in this filter too. */
    MERGE,
    /** A generation begins, and takes all new keys. */
    GROW,
    /**
     * A bucket begins. A generation begins with it, or the newest one goes on in it. Generations
     * whose keys expired answer no more.
     */
    ROTATE,
    /** A generation begins that is to replace the others. It takes all new keys too. */
    REPLACE,
    /** The filled generation has replaced the others. */
    CUTOVER,
    /** The filled generation is given up. */
    ABORT;

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

    /** Returns true if such an entry sets bits in the generation that takes new keys. */
    public boolean setsBits() {
      return this == ADD || this == READD || this == RENEW;
    }

    /** Returns true if such an entry sets bits only in a generation that is being filled. */
    public boolean fills() {
      return this == REMOVE || this == RETURN || this == FILL;
    }
  }

  /** The most hashes in one entry. */
  public static final int MAX_HASHES = MergedBits.MAX_PAYLOAD / Long.BYTES;

  /** The most entries that one statement reads; 16 MiB if they are full. */
  static final int PAGE = 256;

  /** The columns that an entry is decoded from. */
  static final List<Field<?>> FIELDS =
      List.of(
          Journals.SEQ, Journals.TOKEN, Journals.PREVIOUS_TOKEN, Journals.KIND, Journals.PAYLOAD);

  /** The bytes for the number, capacity, false positive rate, bits and hashes of a generation. */
  private static final int GENERATION_BYTES =
      Integer.BYTES + Long.BYTES + Double.BYTES + Long.BYTES + Integer.BYTES;

  /** The bytes for the number of a bucket, and for how many buckets it answers. */
  private static final int BUCKET_BYTES = Long.BYTES + Long.BYTES;

  private static final long[] NO_HASHES = {};

  /** Creates an entry without bits of another filter. */
  public JournalEntry(
      long seq,
      long token,
      long previousToken,
      Kind kind,
      long[] hashes,
      @Nullable GenerationRecord begun) {
    this(seq, token, previousToken, kind, hashes, begun, null);
  }

  /** Creates an entry with new keys. */
  public JournalEntry(long seq, long token, long previousToken, long[] hashes) {
    this(seq, token, previousToken, Kind.ADD, hashes, null);
  }

  /** Creates the entry that brings bits of another filter, after the end of the journal. */
  public static JournalEntry merging(MergedBits merged, Cursor end, long token) {
    return new JournalEntry(end.seq() + 1, token, end.token(), Kind.MERGE, NO_HASHES, null, merged);
  }

  /** Creates the entry that begins a generation, after the end of the journal. */
  public static JournalEntry beginning(Kind kind, GenerationRecord generation, Cursor end) {
    return new JournalEntry(
        generation.sinceSeq(), generation.sinceToken(), end.token(), kind, NO_HASHES, generation);
  }

  /**
   * Creates the entry that begins a bucket, after the end of the journal.
   *
   * @param generation the new generation, or the newest with the bucket in which it goes on
   */
  public static JournalEntry rotating(GenerationRecord generation, Cursor end, long token) {
    return new JournalEntry(end.seq() + 1, token, end.token(), Kind.ROTATE, NO_HASHES, generation);
  }

  /** Creates the entry that ends the filling of a generation: a cut-over, or giving it up. */
  public static JournalEntry ending(Kind kind, Cursor end, long token) {
    return new JournalEntry(end.seq() + 1, token, end.token(), kind, NO_HASHES, null);
  }

  static JournalEntry decode(FilterName filter, Layout layout, Record row) {
    Kind kind = kind(filter, row);
    return switch (kind) {
      case ADD, REMOVE, RETURN, READD, RENEW, FILL, SEEN -> keys(filter, row, kind);
      case GROW, REPLACE, ROTATE -> generation(filter, layout, row, kind);
      case MERGE -> merged(filter, layout, row);
      case CUTOVER, ABORT -> entry(row, kind, NO_HASHES, null, null);
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

  private static JournalEntry generation(FilterName filter, Layout layout, Record row, Kind kind) {
    byte[] payload = row.get(Journals.PAYLOAD);
    int length = GENERATION_BYTES + (kind == Kind.ROTATE ? BUCKET_BYTES : 0);
    if (payload.length != length) {
      throw corrupt(filter, row, "which is not a generation of " + length + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.wrap(payload);
    int number = bytes.getInt();
    long capacity = bytes.getLong();
    double rate = bytes.getDouble();
    try {
      GenerationRecord generation =
          new GenerationRecord(
              number,
              row.get(Journals.SEQ),
              row.get(Journals.TOKEN),
              capacity,
              rate,
              new BloomParameters(layout, bytes.getLong(), bytes.getInt()),
              "",
              0);
      Bucket bucket =
          kind == Kind.ROTATE
              ? new Bucket(bytes.getLong(), Math.toIntExact(bytes.getLong()))
              : null;
      return entry(row, kind, NO_HASHES, generation.in(bucket), null);
    } catch (InvalidParameterException e) {
      throw corrupt(filter, row, "which is no generation: " + e.getMessage());
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
      @Nullable GenerationRecord generation,
      @Nullable MergedBits merged) {
    return new JournalEntry(
        row.get(Journals.SEQ),
        row.get(Journals.TOKEN),
        row.get(Journals.PREVIOUS_TOKEN),
        kind,
        hashes,
        generation,
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

  /**
   * Returns the bucket that the entry begins.
   *
   * @throws NullPointerException if it begins none
   */
  public Bucket bucket() {
    return Objects.requireNonNull(Objects.requireNonNull(begun).bucket());
  }

  byte[] payload() {
    if (merged != null) {
      return merged.payload();
    }
    if (begun != null) {
      Bucket bucket = kind == Kind.ROTATE ? bucket() : null;
      ByteBuffer bytes =
          ByteBuffer.allocate(GENERATION_BYTES + (bucket == null ? 0 : BUCKET_BYTES))
              .putInt(begun.number())
              .putLong(begun.capacity())
              .putDouble(begun.falsePositiveRate())
              .putLong(begun.parameters().bits())
              .putInt(begun.parameters().hashes());
      if (bucket != null) {
        bytes.putLong(bucket.number()).putLong(bucket.window());
      }
      return bytes.array();
    }
    return HashBlock.bytes(hashes);
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

  /** Returns the number of new keys in the entries. */
  public static long newKeys(List<JournalEntry> entries) {
    return entries.stream()
        .filter(entry -> entry.kind.adds())
        .mapToLong(entry -> entry.hashes.length)
        .sum();
  }

  public Cursor cursor() {
    return new Cursor(seq, token);
  }
}
