package io.github.slotbloom.core;

import io.github.slotbloom.error.InvalidKeyException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Which bytes a key may have. */
final class KeyBytes {

  private KeyBytes() {}

  /** Returns the bytes that are hashed for a text, or throws if it has no UTF-8 or too many. */
  static byte[] utf8(String text) {
    checkSize(utf8Length(text));
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static void checkSize(long bytes) {
    if (bytes > KeyType.MAX_KEY_BYTES) {
      throw new InvalidKeyException(
          ("The key has %s bytes, and at most %s are allowed; hash it first (for example with"
                  + " SHA-256) and add the digest")
              .formatted(bytes, KeyType.MAX_KEY_BYTES));
    }
  }

  /**
   * Counts the bytes before encoding, because String.getBytes silently turns a lone surrogate into
   * '?'.
   */
  private static long utf8Length(String text) {
    long length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        length += 1;
      } else if (c < 0x800) {
        length += 2;
      } else if (!Character.isSurrogate(c)) {
        length += 3;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        length += 4;
        i++;
      } else {
        throw new InvalidKeyException(
            ("The key has an unpaired surrogate, %s at index %s, so it is not valid"
                    + " Unicode text; add it as bytes if it is data")
                .formatted(String.format(Locale.ROOT, "U+%04X", (int) c), i));
      }
    }
    return length;
  }
}
