package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a static field of a {@link DatabaseContract} class that is set once for each database,
 * before its {@link BeforeDatabase} methods run. All tests of the class share one schema per
 * database.
 *
 * <ul>
 *   <li>{@link TestSchema}: that schema
 *   <li>{@link Sql}: SQL in that schema as its owner
 *   <li>{@link Instances}: more users of that schema, which is migrated; those are closed after the
 *       tests
 *   <li>{@link io.github.slotbloom.SlotBloom}: a user of its own with a small pool for each field;
 *       the schema is migrated
 * </ul>
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fixture {}
