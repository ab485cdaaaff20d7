package io.github.slotbloom.internal.add;

/** Thrown if nothing is written because the next bucket of a window has to begin first. */
final class BucketOverException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BucketOverException() {
    super("it waited for the next bucket to begin");
  }
}
