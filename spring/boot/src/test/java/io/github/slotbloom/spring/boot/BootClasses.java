package io.github.slotbloom.spring.boot;

import io.github.slotbloom.spring.boot.health.SlotBloomHealthAutoConfiguration;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;

/** The auto-configurations of Boot 4 that applications with a database have. */
final class BootClasses {

  static final AutoConfigurations DATABASE =
      AutoConfigurations.of(
          AopAutoConfiguration.class,
          DataSourceAutoConfiguration.class,
          DataSourceTransactionManagerAutoConfiguration.class,
          TransactionAutoConfiguration.class,
          TransactionManagerCustomizationAutoConfiguration.class,
          DataSourceInitializationAutoConfiguration.class,
          SlotBloomAutoConfiguration.class);

  static final AutoConfigurations FLYWAY = AutoConfigurations.of(FlywayAutoConfiguration.class);

  static final AutoConfigurations HEALTH =
      AutoConfigurations.of(SlotBloomHealthAutoConfiguration.class);

  static final Class<?> INDICATOR = HealthIndicator.class;

  private BootClasses() {}

  /** Returns the status that an application reports, and the details. */
  static Map.Entry<String, Map<String, Object>> health(BeanFactory application) {
    Health health = application.getBean("slotbloomHealthIndicator", HealthIndicator.class).health();
    return Map.entry(health.getStatus().getCode(), health.getDetails());
  }
}
