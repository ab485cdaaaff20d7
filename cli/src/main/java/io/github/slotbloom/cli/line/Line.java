package io.github.slotbloom.cli.line;

/** One line of input as its original bytes. */
public final class Line {

  private final byte[] bytes;
  private final boolean terminated;
  private final String source;
  private final long number;

  /**
   * Creates a line that owns the given array.
   *
   * @param bytes the content without the separator
   * @param terminated false for a last line without a separator
   * @param source the source in words; messages append the number to it
   * @param number the position in its source, counted from 1
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

  boolean endsWithCarriageReturn() {
    return bytes.length > 0 && bytes[bytes.length - 1] == '\r';
  }

  boolean terminated() {
    return terminated;
  }

  /** Returns the position of the line in words. */
  String place() {
    return source + number;
  }

  /** Returns the positions of the lines from this one to a later one in words. */
  String placesUpTo(Line last) {
    return last.source.equals(source)
        ? source + number + " to " + last.number
        : place() + ", to " + last.place();
  }

  /** Returns the number of bytes that the line took in the input. */
  public int size() {
    return terminated ? bytes.length + 1 : bytes.length;
  }
}
