package io.github.slotbloom.spring;

import org.springframework.dao.NonTransientDataAccessException;

/**
 * A call of a {@link Deduplicate} method did not run it, because its event came up so long ago that
 * its key may have been in the window and have expired: nobody can tell whether the method ran for
 * it. The message does not show the key.
 */
public final class ExpiredCallException extends NonTransientDataAccessException {

  private static final long serialVersionUID = 1L;

  /** The name of the filter. */
  private final String filter;

  /**
   * Creates the exception.
   *
   * @param method the method that did not run
   * @param filter the name of the filter, which is a window
   */
  public ExpiredCallException(String method, String filter) {
    super(
        ("%s did not run because the event of this call is older than the window of filter %s. It"
                + " may have run for this event before. Set the event aside and check.")
            .formatted(method, filter));
    this.filter = filter;
  }

  /** {@return the name of the filter, which is a window} */
  public String filter() {
    return filter;
  }
}
