package io.github.slotbloom.spring.boot;

import org.jspecify.annotations.Nullable;

/** A property of a filter cannot be: the application does not start. */
final class FilterPropertyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String property;
  private final String remedy;

  FilterPropertyException(
      String property, String reason, String remedy, @Nullable RuntimeException cause) {
    super("Property " + property + ": " + reason, cause);
    this.property = property;
    this.remedy = remedy;
  }

  String property() {
    return property;
  }

  String remedy() {
    return remedy;
  }
}
