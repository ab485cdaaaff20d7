package io.github.slotbloom.resp.filter;

/** The database has not been reached since the server was started. */
public final class LoadingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception, with the code of Redis. */
  public LoadingException() {
    super("LOADING Slotbloom waits for its database");
  }
}
