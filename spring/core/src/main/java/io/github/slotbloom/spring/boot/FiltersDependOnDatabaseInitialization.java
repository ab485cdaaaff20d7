package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloom;
import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/**
 * Lets the application's own Flyway, Liquibase or scripts run first. Flyway refuses to begin in a
 * schema in which tables of others are already.
 */
final class FiltersDependOnDatabaseInitialization
    extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

  @Override
  protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
    return Set.of(SlotBloom.class);
  }
}
