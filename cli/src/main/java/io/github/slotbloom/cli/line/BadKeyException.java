package io.github.slotbloom.cli.line;

/** What was given as a key is none; the message says why. */
public final class BadKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  BadKeyException(String message) {
    super(message);
  }
}
