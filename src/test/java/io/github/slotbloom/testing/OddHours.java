package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Tests of a {@link DatabaseContract} class that run in the time zone of Berlin and with the clock
 * of each session standing still: within the hour that summer time skips there, or within the hour
 * that comes twice. Each class runs in one of these hours on one database and in the other one on
 * the next; where {@code slotbloom.test.long} is true, it runs in both on each, and once more with
 * a clock that goes on.
 *
 * <p>It is for tests of what reads or writes dates. Some tests cannot take part:
 *
 * <ul>
 *   <li>those that need the clock of the server to go on: of what is trimmed or taken for abandoned
 *       after some time, and of the lag and the age of entries;
 *   <li>those of replacements, and of what else folds in parts: that waits until nobody has written
 *       the fold row for 0.2 s by this clock;
 *   <li>those that connect through a network or a server of their own, whose address leaves the
 *       clock out.
 * </ul>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OddHours {

  /** True for tests of which nothing is to be learned while the clock runs. */
  boolean only() default false;
}
