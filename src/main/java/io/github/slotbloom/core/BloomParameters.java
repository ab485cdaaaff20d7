package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidParameterException;
import java.util.Objects;

/**
 * The shape of one generation of a filter: all numbers that decide where the bits of a key lie.
 * Immutable and thread-safe.
 *
 * @param layout where the bits of a key lie
 * @param bits the number of bits m, from {@value #MIN_BITS} to {@value #MAX_BITS}; for {@link
 *     Layout#BLOCKED} a multiple of {@value #BLOCK_BITS}
 * @param hashes the number of probes for each key k, from 1 to {@value #MAX_HASHES}
 */
public record BloomParameters(Layout layout, long bits, int hashes) {

  /** The smallest number of bits, one slot. */
  public static final long MIN_BITS = 64;

  /** The largest number of bits: 2^42, or 512 GiB of slots. */
  public static final long MAX_BITS = 1L << 42;

  /**
   * The largest number of probes. More are never needed: 2^-64 is below the collision rate of a key
   * hash.
   */
  public static final int MAX_HASHES = 64;

  /** The number of bits in one block of {@link Layout#BLOCKED}. */
  public static final int BLOCK_BITS = 512;

  /**
   * Creates the parameters and checks the numbers.
   *
   * @param layout where the bits of a key lie
   * @param bits m
   * @param hashes k
   * @throws InvalidParameterException if a number is outside its range
   */
  public BloomParameters {
    Objects.requireNonNull(layout, "layout");
    if (bits < MIN_BITS || bits > MAX_BITS) {
      throw new InvalidParameterException(
          "bits is " + bits + "; use a number from " + MIN_BITS + " to " + MAX_BITS);
    }
    if (hashes < 1 || hashes > MAX_HASHES) {
      throw new InvalidParameterException(
          "hashes is " + hashes + "; use a number from 1 to " + MAX_HASHES);
    }
    if (layout == Layout.BLOCKED && bits % BLOCK_BITS != 0) {
      throw new InvalidParameterException(
          "bits is %s; the BLOCKED layout needs whole blocks, so use a multiple of %s"
              .formatted(bits, BLOCK_BITS));
    }
  }

  /** {@return the number of 64-bit slots that hold the bits: m / 64, rounded up} */
  public long slots() {
    return (bits + Long.SIZE - 1) / Long.SIZE;
  }

  /** {@return the bits of the last slot that belong to the bit array; all 64 if m is a multiple} */
  public long lastSlotMask() {
    return -1L >>> (slots() * Long.SIZE - bits);
  }

  /** {@return the memory that the slots take, in bytes} */
  public long bytes() {
    return slots() * Long.BYTES;
  }
}
