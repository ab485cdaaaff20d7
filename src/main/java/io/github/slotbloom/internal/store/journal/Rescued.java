package io.github.slotbloom.internal.store.journal;

import io.github.slotbloom.internal.store.slots.MergedBits;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keys that block lists leave out from now on, or no longer.
 *
 * @param untilMicros when block lists take them in again, in microseconds since the start of 1970
 *     in UTC, by the clock of the database; {@link #FOR_EVER} for never, {@link #ENDED} for now
 * @param hashes at least one; not copied, so it must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Rescued(long untilMicros, long[] hashes) {

  public static final long FOR_EVER = Long.MAX_VALUE;
  public static final long ENDED = 0;

  /** The most hashes in one entry. One number less than otherwise is for the time. */
  public static final int MAX_HASHES = MergedBits.MAX_PAYLOAD / Long.BYTES - 1;

  /** Returns the payload of an entry; null if it is none. */
  static @Nullable Rescued decode(byte[] payload) {
    if (payload.length < 2 * Long.BYTES || payload.length % Long.BYTES != 0) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(payload);
    long untilMicros = bytes.getLong();
    long[] hashes = new long[bytes.remaining() / Long.BYTES];
    bytes.asLongBuffer().get(hashes);
    return new Rescued(untilMicros, hashes);
  }

  boolean ended() {
    return untilMicros == ENDED;
  }

  byte[] payload() {
    ByteBuffer bytes = ByteBuffer.allocate((1 + hashes.length) * Long.BYTES).putLong(untilMicros);
    bytes.asLongBuffer().put(hashes);
    return bytes.array();
  }
}
