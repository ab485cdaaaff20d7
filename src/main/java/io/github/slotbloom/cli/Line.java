package io.github.slotbloom.cli;

/** One line of input, as the bytes that came. */
final class Line {

  private final byte[] bytes;
  private final boolean terminated;

  /**
   * Takes over the array.
   *
   * @param bytes without the line feed that ended the line
   * @param terminated false for a last line that ended with the input instead of a line feed
   */
  Line(byte[] bytes, boolean terminated) {
    this.bytes = bytes;
    this.terminated = terminated;
  }

  byte[] bytes() {
    return bytes;
  }

  boolean terminated() {
    return terminated;
  }

  /** Bytes that it took in the input. */
  int size() {
    return terminated ? bytes.length + 1 : bytes.length;
  }
}
