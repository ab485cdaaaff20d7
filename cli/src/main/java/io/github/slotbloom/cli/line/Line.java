package io.github.slotbloom.cli.line;

/** One line of input, as the bytes that came. */
public final class Line {

  private final byte[] bytes;
  private final boolean terminated;
  private final String source;
  private final long number;

  /**
   * Takes over the array.
   *
   * @param bytes without the separator that ended the line
   * @param terminated false for a last line that ended with the input
   * @param source where it comes from, in words that the number continues
   * @param number counted from 1 in its source
   */
  public Line(byte[] bytes, boolean terminated, String source, long number) {
    this.bytes = bytes;
    this.terminated = terminated;
    this.source = source;
    this.number = number;
  }

  public byte[] bytes() {
    return bytes;
  }

  boolean terminated() {
    return terminated;
  }

  /** Where to look for it, in words. */
  String place() {
    return source + number;
  }

  /** Bytes that it took in the input. */
  public int size() {
    return terminated ? bytes.length + 1 : bytes.length;
  }
}
