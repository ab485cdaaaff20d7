package io.github.slotbloom.resp.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Locale;

/**
 * The words of one request, at least one; the first is the name of the command.
 *
 * @param words bytes as the client sent them, which nobody changes
 */
public record Request(List<byte[]> words) {

  /** The memory of a word besides its bytes: the array, its place in the list. */
  static final int OVERHEAD_BYTES = 24;

  /** Returns the number of words. */
  public int size() {
    return words.size();
  }

  /** Returns the bytes of a word. */
  public byte[] word(int place) {
    return words.get(place);
  }

  /** Returns a word as text. Bytes that are not UTF-8 become replacement characters. */
  public String text(int place) {
    return new String(words.get(place), UTF_8);
  }

  /** Returns a word as an option: in upper case, byte by byte. */
  public String option(int place) {
    return new String(words.get(place), ISO_8859_1).toUpperCase(Locale.ROOT);
  }

  /** Returns the words from a place on. */
  public List<byte[]> wordsFrom(int place) {
    return words.subList(place, words.size());
  }

  /** Returns about how much memory it takes. */
  public long bytes() {
    long bytes = 0;
    for (byte[] word : words) {
      bytes += OVERHEAD_BYTES + word.length;
    }
    return bytes;
  }

  /** Says how many words there are, and not which: some are keys and passwords. */
  @Override
  public String toString() {
    return "Request of " + words.size() + " words";
  }
}
