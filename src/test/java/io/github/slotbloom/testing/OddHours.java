package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * A test that each build runs once more in another time zone, with the clock of each database
 * session standing still: once within the hour that summer time skips there, and once within the
 * hour that comes twice.
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
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("odd-hours")
public @interface OddHours {}
