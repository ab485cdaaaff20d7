package io.github.slotbloom.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs all tests of a class once on each database of this run.
 *
 * <p>Constructors, test methods and {@link BeforeDatabase} methods may have parameters of the types
 * {@link TestDatabase} and {@link TestSchema}. Each test gets a new, empty schema. If a {@link
 * BeforeDatabase} method asks for a schema, all tests of the class share that one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(DatabaseContractExtension.class)
public @interface DatabaseContract {

  /** True if tests run in their long forms: everything on every database. */
  boolean LONG = Boolean.getBoolean("slotbloom.test.long");

  /**
   * True where each schema is not empty, but has the tables and views. So it is as well for a class
   * that has a {@link Fixture} of a migrated schema.
   */
  boolean migrated() default false;

  /**
   * True where leases are short, so that clearing, dropping and replacing filters wait less. The
   * schema has to be migrated.
   */
  boolean shortLeases() default false;

  /**
   * True where the subject is the code of this library more than the server, and the tests take
   * long. They run on one of the databases, unless {@code slotbloom.test.long} is true. The name of
   * the class decides on which, so that each database gets its share.
   */
  boolean onOne() default false;
}
