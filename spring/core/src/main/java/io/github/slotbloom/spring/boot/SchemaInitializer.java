package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.SchemaException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Makes the tables that all filters share when the application starts, with Flyway or without. It
 * is safe if several processes do this at once.
 */
final class SchemaInitializer {

  private static final String FLYWAY = "org.flywaydb.core.Flyway";

  private final DataSource dataSource;
  private final @Nullable ClassLoader classes;

  /**
   * Looks for Flyway among the classes of the application.
   *
   * @param classes of the application
   */
  SchemaInitializer(DataSource dataSource, @Nullable ClassLoader classes) {
    this.dataSource = dataSource;
    this.classes = classes;
  }

  /**
   * Makes what is missing.
   *
   * @throws SchemaException if that fails
   */
  void initialize(SlotBloom bloom) {
    if (ClassUtils.isPresent(FLYWAY, classes)) {
      bloom.migrate();
      return;
    }
    SchemaScript script = new SchemaScript(dataSource);
    boolean done = false;
    while (!done && !bloom.isMigrated()) {
      done = script.run();
    }
  }
}
