package io.github.slotbloom.perf.measure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Creates keys from numbers: texts of 20 characters, distinct for distinct numbers and in no order,
 * like keys of users.
 */
public final class Keys {

  /** Numbers from here on are asked for but never added. */
  public static final long ABSENT = 1L << 60;

  /** Work that is not measured key by key is done in parts of so many. */
  public static final int PART = 10_000;

  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private Keys() {}

  public static String text(long number) {
    return new String(bytes(number), StandardCharsets.ISO_8859_1);
  }

  public static byte[] bytes(long number) {
    byte[] text = {'k', 'e', 'y', '-', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    long mixed = scrambled(number);
    for (int i = text.length - 1; i >= 4; i--) {
      text[i] = HEX[(int) (mixed & 15)];
      mixed >>>= 4;
    }
    return text;
  }

  /** Scrambles a number one to one, with the finalizer of SplitMix64. */
  public static long scrambled(long number) {
    long z = number + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** {@return so many keys in parts of {@link #PART}} */
  public static Iterable<List<String>> inParts(long from, long count) {
    return inParts(from, count, PART);
  }

  /** {@return so many keys in parts of at most that size} A part is made when it is asked for. */
  public static Iterable<List<String>> inParts(long from, long count, int most) {
    long end = from + count;
    return () ->
        LongStream.iterate(from, first -> first < end, first -> first + most)
            .mapToObj(first -> texts(first, (int) Math.min(most, end - first)))
            .iterator();
  }

  public static List<String> texts(long from, int count) {
    List<String> keys = new ArrayList<>(count);
    for (long number = from; number < from + count; number++) {
      keys.add(text(number));
    }
    return keys;
  }
}
