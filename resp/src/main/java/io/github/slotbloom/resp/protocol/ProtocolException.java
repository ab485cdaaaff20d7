package io.github.slotbloom.resp.protocol;

/** The client sent no request. Nobody knows where the next one begins, so the connection ends. */
public final class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what Redis says in this case, without keys or passwords
   */
  public ProtocolException(String message) {
    super("Protocol error: " + message);
  }
}
