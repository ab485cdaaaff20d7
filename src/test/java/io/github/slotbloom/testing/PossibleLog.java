package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a test, or each test of a class, may log such a warning or error, or may not: it hangs
 * on the moment, on the database or on the parameters of the test. Where it is certain, use {@link
 * ExpectedLog}, which also says what the value is.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(PossibleLog.All.class)
public @interface PossibleLog {

  String value();

  /** Several of them. */
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface All {
    PossibleLog[] value();
  }
}
