package io.github.slotbloom.cli.line;

/** Reports that the given text or bytes are not a valid key. The message says why. */
public final class BadKeyException extends Exception {
  private static final long serialVersionUID = 1L;

  BadKeyException(String message) {
    super(message);
  }
}
