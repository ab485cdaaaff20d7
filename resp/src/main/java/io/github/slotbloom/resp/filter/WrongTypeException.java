package io.github.slotbloom.resp.filter;

/** The filter is of the other family. */
public final class WrongTypeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception, with the words of Redis. */
  public WrongTypeException() {
    super("WRONGTYPE Operation against a key holding the wrong kind of value");
  }
}
