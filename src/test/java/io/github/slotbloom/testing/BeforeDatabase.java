package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a static method of a {@link DatabaseContract} class that runs once for each database,
 * before the tests there. JUnit's {@code @BeforeAll} runs once for all databases. If the method has
 * a parameter of type {@link TestSchema}, all tests of the class share one schema per database.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface BeforeDatabase {}
