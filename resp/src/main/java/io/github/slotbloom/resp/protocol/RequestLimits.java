package io.github.slotbloom.resp.protocol;

/**
 * How much of one request is kept. A request that announces more is refused before it is read.
 *
 * @param words most words of a request
 * @param wordBytes most bytes of a word
 * @param requestBytes most bytes of all words together
 */
public record RequestLimits(int words, int wordBytes, long requestBytes) {

  /** The limits of Redis for a client that has not given its password. */
  public static final RequestLimits BEFORE_PASSWORD = new RequestLimits(10, 16_384, 10 * 16_384);

  /** The limit of Redis for a line, be it a whole request or a length. */
  static final int LINE_BYTES = 65_536;
}
