package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Calls a static method of a {@link DatabaseContract} class once for each database, before the
 * tests there. JUnit's {@code @BeforeAll} comes once for all databases. With a parameter of the
 * type {@link TestSchema} the class has one schema for all its tests on a database.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface BeforeDatabase {}
