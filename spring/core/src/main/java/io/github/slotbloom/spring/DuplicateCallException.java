package io.github.slotbloom.spring;

import org.springframework.dao.NonTransientDataAccessException;

/**
 * A call of a {@link Deduplicate} method did not run it, because the filter holds its key: the
 * method ran for it before, or the key is a false positive. The message does not show the key.
 */
public final class DuplicateCallException extends NonTransientDataAccessException {

  private static final long serialVersionUID = 1L;

  /** The name of the filter. */
  private final String filter;

  /**
   * Creates the exception.
   *
   * @param method the method that did not run
   * @param filter the name of the filter that holds the key
   */
  public DuplicateCallException(String method, String filter) {
    super(
        ("%s did not run because filter %s has the key of this call: either it ran for this"
                + " key before, or the key is a false positive.")
            .formatted(method, filter));
    this.filter = filter;
  }

  /** {@return the name of the filter that holds the key} */
  public String filter() {
    return filter;
  }
}
