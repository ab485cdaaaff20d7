package io.github.slotbloom.internal.snapshot;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.error.InvalidExportException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.internal.bits.SlotRuns;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads an exported filter, and holds no more of it in memory than a frame. Do not rely on any data
 * before {@link #stream} has returned, because only the end shows that everything before was right.
 * Not thread-safe.
 */
public final class SnapshotReader implements AutoCloseable {

  private final DigestInputStream digested;
  private final DataInputStream in;
  private final Inflater inflater = new Inflater(true);
  private final SnapshotHeader header;
  private int place;
  private long lastSlot = -1;
  private boolean removedOver;
  private boolean slotsOver;
  private long slots;
  private long hashes;
  private long removed;
  private long lastRemoved;
  private Cursor reached;

  /**
   * Reads the header.
   *
   * @param stream stays open; the caller closes it
   * @throws InvalidExportException if it does not begin with a header of this format
   */
  public SnapshotReader(InputStream stream) throws IOException {
    digested = new DigestInputStream(new BufferedInputStream(stream), SnapshotFormat.digest());
    in = new DataInputStream(digested);
    header = complete(this::readHeader);
    reached = Objects.requireNonNullElse(header.base(), header.last());
  }

  public SnapshotHeader header() {
    return header;
  }

  private SnapshotHeader readHeader() throws IOException {
    byte[] magic = in.readNBytes(SnapshotFormat.MAGIC.length);
    if (!Arrays.equals(magic, Arrays.copyOf(SnapshotFormat.MAGIC, magic.length))) {
      throw new InvalidExportException(
          "This is not an exported filter: its first bytes are not those of an export. Use a file that export"
              + " wrote.",
          null);
    }
    byte[] prefix =
        Arrays.copyOf(
            SnapshotFormat.MAGIC, SnapshotFormat.MAGIC.length + Short.BYTES + Integer.BYTES);
    in.readFully(prefix, SnapshotFormat.MAGIC.length, Short.BYTES + Integer.BYTES);
    ByteBuffer fields = ByteBuffer.wrap(prefix).position(SnapshotFormat.MAGIC.length);
    int version = Short.toUnsignedInt(fields.getShort());
    if (version != SnapshotFormat.VERSION) {
      throw new InvalidExportException(
          "This export has format %s, but this version of Slotbloom reads only format %s. %s"
              .formatted(
                  version,
                  SnapshotFormat.VERSION,
                  version < SnapshotFormat.VERSION
                      ? "A development version before 0.1.0 wrote it, which no release can read:"
                          + " add the keys again."
                      : "Import it with the version that wrote it, or a newer one."),
          null);
    }
    int length = fields.getInt();
    if (length < 0 || length > SnapshotFormat.MOST_HEADER_BYTES) {
      throw damaged("its header would have " + Integer.toUnsignedString(length) + " bytes");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    CRC32C checksum = new CRC32C();
    checksum.update(prefix);
    checksum.update(bytes);
    if (in.readInt() != (int) checksum.getValue()) {
      throw damaged("the checksum of its header does not match");
    }
    try {
      return HeaderFormat.decode(bytes);
    } catch (InvalidParameterException | UnsupportedVersionException e) {
      throw new InvalidExportException(
          "This export cannot be imported. Its header says what this version does not store: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Reads the rest of the export of a whole filter.
   *
   * @throws InvalidExportException if it is damaged, or continues after its end, or is a delta; the
   *     data that the sink received is then worthless
   */
  public void stream(SnapshotSink sink) throws IOException {
    if (header.base() != null) {
      throw new InvalidExportException(
          ("This is a delta, which holds only what came to filter %s after entry %s. Import the"
                  + " export that it continues, then this delta, and export the whole filter.")
              .formatted(header.name(), header.base().seq()),
          null);
    }
    ByteBuffer end =
        readFrames(
            (kind, payload) -> {
              switch (kind) {
                case SnapshotFormat.REMOVED -> takeRemoved(payload, sink);
                case SnapshotFormat.SLOTS -> takeSlots(payload, sink);
                case SnapshotFormat.HASHES -> takeHashes(payload, sink);
                default -> throw damaged("it has a frame of the kind " + kind);
              }
            });
    if (end.getLong() != slots || end.getLong() != hashes || end.getLong() != removed) {
      throw damaged("its end gives another number of slots or hashes");
    }
  }

  /**
   * Reads the rest of a delta.
   *
   * @throws InvalidExportException as {@link #stream} does
   */
  public void entries(EntrySink sink) throws IOException {
    readFrames(
        (frame, payload) -> {
          int place = frame - SnapshotFormat.ENTRY;
          if (place < 0 || place >= SnapshotFormat.KINDS.size()) {
            throw damaged("it has a frame of the kind " + frame);
          }
          Kind kind = SnapshotFormat.KINDS.get(place);
          if (payload.remaining() < 2 * Long.BYTES
              || (kind.decidesRemoval() && header.removablePercent() == 0)
              || (kind == Kind.SEEN && !header.retainHashes())) {
            throw damaged("it has an entry of the kind " + kind + " that cannot be");
          }
          long token = payload.getLong();
          JournalEntry entry = JournalEntry.ofKeys(kind, readHashes(payload), reached, token);
          reached = entry.cursor();
          sink.accept(entry);
        });
    if (!header.last().equals(reached)) {
      throw damaged("it ends with another entry than its header says");
    }
  }

  /**
   * Reads the rest of any export without making anything of it.
   *
   * @return the newest journal entry that it can hold something of
   * @throws InvalidExportException if it is damaged
   */
  public Cursor readUpTo() throws IOException {
    ByteBuffer end = readFrames((kind, payload) -> {});
    return new Cursor(end.getLong(3 * Long.BYTES), end.getLong(4 * Long.BYTES));
  }

  private interface FrameReader {
    void take(byte kind, ByteBuffer payload) throws IOException;
  }

  /** Returns the payload of the end, once it is known that all bytes are as they were written. */
  private ByteBuffer readFrames(FrameReader reader) throws IOException {
    return complete(
        () -> {
          byte kind = in.readByte();
          while (kind != SnapshotFormat.END) {
            reader.take(kind, ByteBuffer.wrap(readPayload()));
            kind = in.readByte();
          }
          ByteBuffer end = ByteBuffer.wrap(readPayload());
          requireDigest();
          if (end.remaining() != 5 * Long.BYTES) {
            throw damaged("its end has " + end.remaining() + " bytes");
          }
          return end;
        });
  }

  private byte[] readPayload() throws IOException {
    int length = in.readInt();
    int stored = in.readInt();
    if (length < 1 || length > SnapshotFormat.MOST_FRAME_BYTES || stored < 1 || stored > length) {
      throw damaged("it has a frame of " + stored + " bytes that stand for " + length);
    }
    byte[] bytes = new byte[stored];
    in.readFully(bytes);
    return stored == length ? bytes : inflate(bytes, length);
  }

  /**
   * Inflates bytes, but never to more than the given length, no matter how much they would expand
   * to.
   */
  private byte[] inflate(byte[] bytes, int length) {
    byte[] inflated = new byte[length];
    inflater.reset();
    inflater.setInput(bytes);
    try {
      int size = inflater.inflate(inflated);
      if (size == length && !inflater.finished()) {
        inflater.inflate(new byte[1]);
      }
      if (size == length
          && inflater.finished()
          && inflater.getRemaining() == 0
          && inflater.getBytesWritten() == length) {
        return inflated;
      }
    } catch (DataFormatException e) {
      throw new InvalidExportException(text("a frame cannot be inflated"), e);
    }
    throw damaged("a frame has another length than it says");
  }

  private void takeRemoved(ByteBuffer payload, SnapshotSink sink) throws IOException {
    if (removedOver || header.removablePercent() == 0) {
      throw damaged("it has removed hashes that cannot be");
    }
    long[] read = readHashes(payload);
    for (long hash : read) {
      if (removed > 0 && hash <= lastRemoved) {
        throw damaged("its removed hashes are not in ascending order");
      }
      lastRemoved = hash;
      removed++;
    }
    sink.removed(read);
  }

  private void takeSlots(ByteBuffer payload, SnapshotSink sink) throws IOException {
    removedOver = true;
    if (payload.remaining() < Integer.BYTES) {
      throw damaged("slots are truncated");
    }
    int next = payload.getInt();
    if (slotsOver || next < place || next >= header.generations().size()) {
      throw damaged("slots of generation " + next + " are where they cannot be");
    }
    if (next > place) {
      place = next;
      lastSlot = -1;
    }
    BloomParameters parameters = header.generations().get(place).parameters();
    try {
      lastSlot =
          SlotRuns.read(
              payload,
              lastSlot,
              parameters,
              (slot, bits) -> {
                slots++;
                handOn(sink, slot, bits);
              });
    } catch (InvalidParameterException e) {
      throw new InvalidExportException(
          text(Objects.requireNonNullElse(e.getMessage(), e.toString())), e);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void handOn(SnapshotSink sink, long slot, long bits) {
    try {
      sink.slot(place, slot, bits);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void takeHashes(ByteBuffer payload, SnapshotSink sink) throws IOException {
    if (!header.retainHashes()) {
      throw damaged("it has hashes that cannot be");
    }
    removedOver = true;
    slotsOver = true;
    long[] read = readHashes(payload);
    hashes += read.length;
    sink.hashes(read);
  }

  private static long[] readHashes(ByteBuffer payload) {
    int count = payload.remaining() / Long.BYTES;
    if (payload.remaining() % Long.BYTES != 0 || count > SnapshotFormat.HASHES_PER_FRAME) {
      throw damaged("it has hashes that cannot be");
    }
    long[] read = new long[count];
    payload.asLongBuffer().get(read);
    return read;
  }

  private void requireDigest() throws IOException {
    byte[] expected = digested.getMessageDigest().digest();
    digested.on(false);
    byte[] digest = new byte[expected.length];
    in.readFully(digest);
    if (!MessageDigest.isEqual(expected, digest)) {
      throw damaged("its digest does not match the one at its end");
    }
    if (in.read() >= 0) {
      throw damaged("it continues after its end");
    }
  }

  private interface Part<T> {
    T read() throws IOException;
  }

  private static <T> T complete(Part<T> part) throws IOException {
    try {
      return part.read();
    } catch (EOFException e) {
      throw new InvalidExportException(text("it is truncated"), e);
    }
  }

  private static InvalidExportException damaged(String why) {
    return new InvalidExportException(text(why), null);
  }

  private static String text(String why) {
    return "This export is damaged: " + why + ". Export the filter again, or use another copy.";
  }

  /** Releases memory. */
  @Override
  public void close() {
    inflater.end();
  }
}
