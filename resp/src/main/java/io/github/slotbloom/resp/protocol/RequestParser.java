package io.github.slotbloom.resp.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from bytes that arrive in any pieces. What was understood of a request is kept, so
 * no word is read twice, and a word gets memory only once its bytes are there. Used by one thread.
 */
public final class RequestParser {

  /** The longest line with a length that makes sense. */
  private static final int LENGTH_BYTES = 32;

  private static final int NO_WORD = -1;

  private RequestLimits limits;
  private int wordsLeft;
  private int wordBytes = NO_WORD;
  private long requestBytes;
  private List<byte[]> words = new ArrayList<>();

  /**
   * Creates a parser.
   *
   * @param limits what it allows at first
   */
  public RequestParser(RequestLimits limits) {
    this.limits = limits;
  }

  /** Sets what is allowed from now on. */
  public void limit(RequestLimits theirs) {
    limits = theirs;
  }

  /**
   * Takes the next request out of the bytes. Empty requests are skipped.
   *
   * @return null if more bytes are needed
   * @throws ProtocolException if this is no request, or one that is too large
   */
  public @Nullable Request next(ByteBuf bytes) {
    boolean went = true;
    while (went && bytes.isReadable()) {
      if (wordsLeft > 0) {
        went = wordBytes == NO_WORD ? wordLength(bytes) : word(bytes);
      } else if (bytes.getByte(bytes.readerIndex()) == '*') {
        went = numberOfWords(bytes);
      } else {
        went = inline(bytes);
      }
      if (wordsLeft == 0 && !words.isEmpty()) {
        Request whole = new Request(words);
        words = new ArrayList<>();
        requestBytes = 0;
        return whole;
      }
    }
    return null;
  }

  private boolean inline(ByteBuf bytes) {
    String line = line(bytes, RequestLimits.LINE_BYTES, "too big inline request");
    if (line == null) {
      return false;
    }
    List<byte[]> found = InlineWords.of(line.getBytes(ISO_8859_1));
    requireWords(found.size());
    for (byte[] each : found) {
      requireBytes(each.length);
    }
    words.addAll(found);
    return true;
  }

  private boolean numberOfWords(ByteBuf bytes) {
    String line = line(bytes, LENGTH_BYTES, "too big mbulk count string");
    if (line == null) {
      return false;
    }
    long number = number(line, "invalid multibulk length");
    if (number > 0) {
      requireWords(number);
      wordsLeft = (int) number;
    }
    return true;
  }

  private boolean wordLength(ByteBuf bytes) {
    byte mark = bytes.getByte(bytes.readerIndex());
    if (mark != '$') {
      throw new ProtocolException(
          "expected '$', got '" + (mark >= ' ' && mark < 127 ? (char) mark : '?') + "'");
    }
    String line = line(bytes, LENGTH_BYTES, "too big bulk count string");
    if (line == null) {
      return false;
    }
    long length = number(line, "invalid bulk length");
    if (length < 0) {
      throw new ProtocolException("invalid bulk length");
    }
    requireBytes(length);
    wordBytes = (int) length;
    return true;
  }

  private boolean word(ByteBuf bytes) {
    if (bytes.readableBytes() < wordBytes + 2) {
      return false;
    }
    byte[] word = new byte[wordBytes];
    bytes.readBytes(word);
    if (bytes.readByte() != '\r' || bytes.readByte() != '\n') {
      throw new ProtocolException("expected the end of a line after a bulk string");
    }
    words.add(word);
    wordsLeft--;
    wordBytes = NO_WORD;
    return true;
  }

  private void requireWords(long number) {
    if (number > limits.words()) {
      throw tooLarge("multibulk length");
    }
  }

  private void requireBytes(long length) {
    requestBytes += Request.OVERHEAD_BYTES + length;
    if (length > limits.wordBytes()) {
      throw tooLarge("bulk length");
    }
    if (requestBytes > limits.requestBytes()) {
      throw tooLarge("request length");
    }
  }

  private ProtocolException tooLarge(String what) {
    boolean stranger = limits.equals(RequestLimits.BEFORE_PASSWORD);
    return new ProtocolException((stranger ? "unauthenticated " : "invalid ") + what);
  }

  /** Takes a line, without its end; null if the end is not there. */
  private static @Nullable String line(ByteBuf bytes, int mostBytes, String tooLong) {
    int seen = Math.min(bytes.readableBytes(), mostBytes);
    int length = bytes.bytesBefore(seen, (byte) '\n');
    if (length < 0) {
      if (seen == mostBytes) {
        throw new ProtocolException(tooLong);
      }
      return null;
    }
    String line = bytes.readCharSequence(length, ISO_8859_1).toString();
    bytes.skipBytes(1);
    return line.endsWith("\r") ? line.substring(0, length - 1) : line;
  }

  /** Reads the number behind the mark of a line. */
  private static long number(String line, String invalid) {
    try {
      return Long.parseLong(line, 1, line.length(), 10);
    } catch (NumberFormatException e) {
      throw new ProtocolException(invalid);
    }
  }
}
