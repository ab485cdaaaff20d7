package io.github.slotbloom.store;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.UnsupportedFormatException;
import io.github.slotbloom.store.Tables.Journals;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.List;
import org.jooq.Record;

/**
 * One entry of a filter's journal: the hashes of keys that one transaction found to be new.
 *
 * @param seq its number
 * @param token random
 * @param previousToken token of the entry before
 * @param hashes 64-bit hashes of the keys; not copied, so not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; copying 64 KiB an entry is not for free
public record JournalEntry(long seq, long token, long previousToken, long[] hashes) {

  /** The most hashes in one entry, 64 KiB. */
  public static final int MAX_HASHES = 8192;

  static final String ADD = "ADD";

  static JournalEntry decode(FilterName filter, Record row) {
    long seq = row.get(Journals.SEQ);
    String kind = row.get(Journals.KIND);
    if (!ADD.equals(kind)) {
      throw new UnsupportedFormatException(
          "Journal entry "
              + seq
              + " of filter "
              + filter
              + " is of the kind "
              + kind
              + ", which this version of Slotbloom does not know. Use the version that wrote it, or a newer one.");
    }
    byte[] payload = row.get(Journals.PAYLOAD);
    if (payload.length == 0
        || payload.length % Long.BYTES != 0
        || payload.length > MAX_HASHES * Long.BYTES) {
      throw new CorruptFilterException(
          "Journal entry "
              + seq
              + " of filter "
              + filter
              + " has a payload of "
              + payload.length
              + " bytes, which is not 1 to "
              + MAX_HASHES
              + " hashes of 8 bytes. Restore the table bloom_journal from a backup.");
    }
    LongBuffer hashes = ByteBuffer.wrap(payload).asLongBuffer();
    long[] decoded = new long[hashes.remaining()];
    hashes.get(decoded);
    return new JournalEntry(
        seq, row.get(Journals.TOKEN), row.get(Journals.PREVIOUS_TOKEN), decoded);
  }

  byte[] payload() {
    ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
    bytes.asLongBuffer().put(hashes);
    return bytes.array();
  }

  /** How many keys these entries have. */
  public static long keys(List<JournalEntry> entries) {
    return entries.stream().mapToLong(entry -> entry.hashes.length).sum();
  }

  public Cursor cursor() {
    return new Cursor(seq, token);
  }
}
