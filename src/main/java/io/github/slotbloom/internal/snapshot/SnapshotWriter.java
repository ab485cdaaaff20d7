package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.DigestOutputStream;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

/**
 * Writes a filter as its data comes, and holds no more of it in memory than a frame. The file is
 * complete only after {@link #finish} was called. Not thread-safe.
 */
public final class SnapshotWriter implements SnapshotSink, AutoCloseable {

  private final DigestOutputStream digested;
  private final DataOutputStream out;
  // Half of the bits of a full filter are set, and nothing compresses those. The other data is
  // easy.
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private final byte[] deflated = new byte[SnapshotFormat.MOST_FRAME_BYTES];
  private final SlotRuns runs = new SlotRuns(SnapshotFormat.MOST_FRAME_BYTES - Integer.BYTES);
  private final SnapshotHeader header;
  private int place;
  private long slots;
  private long hashes;
  private long removed;

  /**
   * Writes the header.
   *
   * @param stream stays open; the caller closes it
   */
  public SnapshotWriter(OutputStream stream, SnapshotHeader header) throws IOException {
    this.header = header;
    digested = new DigestOutputStream(new BufferedOutputStream(stream), SnapshotFormat.digest());
    out = new DataOutputStream(digested);
    byte[] encoded = HeaderFormat.encode(header);
    ByteBuffer bytes =
        ByteBuffer.allocate(
            SnapshotFormat.MAGIC.length + Short.BYTES + Integer.BYTES + encoded.length);
    bytes.put(SnapshotFormat.MAGIC).putShort((short) SnapshotFormat.VERSION);
    bytes.putInt(encoded.length).put(encoded);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.array());
    out.write(bytes.array());
    out.writeInt((int) checksum.getValue());
  }

  @Override
  public void removed(long[] more) throws IOException {
    writeHashes(SnapshotFormat.REMOVED, more);
    removed += more.length;
  }

  @Override
  public void slot(int ofPlace, long slot, long bits) throws IOException {
    if (ofPlace != place || !runs.offer(slot, bits)) {
      writeSlots();
      place = ofPlace;
      runs.offer(slot, bits);
    }
    slots++;
  }

  private void writeSlots() throws IOException {
    if (!runs.isEmpty()) {
      byte[] taken = runs.take();
      writeFrame(
          SnapshotFormat.SLOTS,
          ByteBuffer.allocate(Integer.BYTES + taken.length).putInt(place).put(taken).array());
    }
  }

  @Override
  public void hashes(long[] more) throws IOException {
    writeSlots();
    writeHashes(SnapshotFormat.HASHES, more);
    hashes += more.length;
  }

  private void writeHashes(byte kind, long[] more) throws IOException {
    for (int from = 0; from < more.length; from += SnapshotFormat.HASHES_PER_FRAME) {
      int count = Math.min(SnapshotFormat.HASHES_PER_FRAME, more.length - from);
      ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES);
      bytes.asLongBuffer().put(more, from, count);
      writeFrame(kind, bytes.array());
    }
  }

  /** Returns true if a delta can have entries of that kind. */
  public static boolean carries(JournalEntry.Kind kind) {
    return SnapshotFormat.KINDS.contains(kind);
  }

  /** Writes the next entry of a delta. */
  public void entry(JournalEntry entry) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((1 + entry.hashes().length) * Long.BYTES);
    bytes.putLong(entry.token()).asLongBuffer().put(entry.hashes());
    int place = SnapshotFormat.KINDS.indexOf(entry.kind());
    writeFrame((byte) (SnapshotFormat.ENTRY + place), bytes.array());
  }

  /** Completes the file, which holds nothing newer than what its header says. */
  public void finish() throws IOException {
    finish(header.last());
  }

  /**
   * Completes the file after the last data.
   *
   * @param readUpTo the newest journal entry that the data can hold something of
   */
  public void finish(Cursor readUpTo) throws IOException {
    writeSlots();
    ByteBuffer end = ByteBuffer.allocate(5 * Long.BYTES);
    end.putLong(slots).putLong(hashes).putLong(removed);
    end.putLong(readUpTo.seq()).putLong(readUpTo.token());
    writeFrame(SnapshotFormat.END, end.array());
    byte[] digest = digested.getMessageDigest().digest();
    digested.on(false);
    out.write(digest);
    out.flush();
  }

  private void writeFrame(byte kind, byte[] bytes) throws IOException {
    deflater.reset();
    deflater.setInput(bytes);
    deflater.finish();
    int length = deflater.deflate(deflated, 0, bytes.length);
    boolean smaller = deflater.finished() && length < bytes.length;
    out.writeByte(kind);
    out.writeInt(bytes.length);
    out.writeInt(smaller ? length : bytes.length);
    out.write(smaller ? deflated : bytes, 0, smaller ? length : bytes.length);
  }

  /** Releases memory. The bytes that were written stay as they are. */
  @Override
  public void close() {
    deflater.end();
  }
}
