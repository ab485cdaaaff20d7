package io.github.slotbloom.core;

import com.dynatrace.hash4j.hashing.Hashing;

/**
 * XXH3 with 64 bits. The hasher of hash4j does it, except for short texts of ASCII alone: of these
 * the bytes are taken from the text itself, which is faster than a copy and leaves no garbage. The
 * JDK reads the characters of a text one by one, so from 33 on a copy is faster.
 *
 * <p>The names are those of the specification, which is the file xxhash.h.
 */
final class Xxh3KeyHash extends Hash4jKeyHash {

  private static final int SHORTEST = 4;
  private static final int LONGEST = 32;

  private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME_MX1 = 0x165667919E3779F9L;
  private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  /** The first words of the secret. */
  private static final long SECRET_0 = 0xBE4BA423396CFEB8L;

  private static final long SECRET_1 = 0x1CAD21F72C81017CL;
  private static final long SECRET_2 = 0xDB979083E96DD4DEL;
  private static final long SECRET_3 = 0x1F67B3B7A4A44072L;
  private static final long SECRET_4 = 0x78E5C0CC4EE679CBL;
  private static final long SECRET_5 = 0x2172FFCC7DD05A82L;
  private static final long SECRET_6 = 0x8E2443F7744608B8L;

  /** The bits of four characters that none of them has if all are ASCII. */
  private static final long NOT_ASCII = 0xFF80FF80FF80FF80L;

  private final long seed;
  private final long bitflip4To8;
  private final long bitflip9To16Low;
  private final long bitflip9To16High;

  Xxh3KeyHash(long seed) {
    super(Hashing.xxh3_64(seed));
    this.seed = seed;
    long seed4To8 = seed ^ (Integer.reverseBytes((int) seed) & 0xFFFFFFFFL) << 32;
    bitflip4To8 = (SECRET_1 ^ SECRET_2) - seed4To8;
    bitflip9To16Low = (SECRET_3 ^ SECRET_4) + seed;
    bitflip9To16High = (SECRET_5 ^ SECRET_6) - seed;
  }

  @Override
  public long hashText(String text) {
    int n = text.length();
    if (n < SHORTEST || n > LONGEST) {
      return super.hashText(text);
    }
    long first = four(text, 0);
    long last = four(text, n - 4);
    if (n <= 8) {
      return isAscii(first | last) ? hash4To8(n, first, last) : super.hashText(text);
    }
    long second = four(text, 4);
    long beforeLast = four(text, n - 8);
    long ends = first | second | beforeLast | last;
    if (n <= 16) {
      return isAscii(ends)
          ? hash9To16(n, bytes(first, second), bytes(beforeLast, last))
          : super.hashText(text);
    }
    long third = four(text, 8);
    long fourth = four(text, 12);
    long fourthLast = four(text, n - 16);
    long thirdLast = four(text, n - 12);
    return isAscii(ends | third | fourth | fourthLast | thirdLast)
        ? hash17To32(
            n,
            bytes(first, second),
            bytes(third, fourth),
            bytes(fourthLast, thirdLast),
            bytes(beforeLast, last))
        : super.hashText(text);
  }

  private long hash4To8(int n, long first, long last) {
    long h = bytes(last, first) ^ bitflip4To8;
    h ^= Long.rotateLeft(h, 49) ^ Long.rotateLeft(h, 24);
    h *= PRIME_MX2;
    h ^= (h >>> 35) + n;
    h *= PRIME_MX2;
    return h ^ (h >>> 28);
  }

  private long hash9To16(int n, long first, long last) {
    long low = first ^ bitflip9To16Low;
    long high = last ^ bitflip9To16High;
    return avalanche(n + Long.reverseBytes(low) + high + multiplyAndFold(low, high));
  }

  private long hash17To32(int n, long first, long second, long beforeLast, long last) {
    return avalanche(
        n * PRIME64_1
            + multiplyAndFold(first ^ (SECRET_0 + seed), second ^ (SECRET_1 - seed))
            + multiplyAndFold(beforeLast ^ (SECRET_2 + seed), last ^ (SECRET_3 - seed)));
  }

  /** Returns the low half of the unsigned product of 128 bits, XORed with its high half. */
  private static long multiplyAndFold(long a, long b) {
    long high = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    return a * b ^ high;
  }

  private static long avalanche(long hash) {
    long h = (hash ^ (hash >>> 37)) * PRIME_MX1;
    return h ^ (h >>> 32);
  }

  /** Returns four characters, of 16 bits each, the first one lowest. */
  private static long four(String text, int at) {
    return text.charAt(at)
        | (long) text.charAt(at + 1) << 16
        | (long) text.charAt(at + 2) << 32
        | (long) text.charAt(at + 3) << 48;
  }

  private static boolean isAscii(long characters) {
    return (characters & NOT_ASCII) == 0;
  }

  /** Returns the eight bytes of twice four characters of ASCII, the first one lowest. */
  private static long bytes(long low, long high) {
    return bytes(low) | bytes(high) << 32;
  }

  private static long bytes(long four) {
    long two = (four | four >>> 8) & 0x0000FFFF0000FFFFL;
    return (two | two >>> 16) & 0xFFFFFFFFL;
  }
}
