package io.github.slotbloom.spring.boot;

import io.github.slotbloom.spring.boot.health.SlotBloomHealthAutoConfiguration;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.sql.init.SqlInitializationAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionManagerCustomizationAutoConfiguration;

/** The auto-configurations of Boot 3 that applications with a database have. */
final class BootClasses {

  static final AutoConfigurations DATABASE =
      AutoConfigurations.of(
          AopAutoConfiguration.class,
          DataSourceAutoConfiguration.class,
          DataSourceTransactionManagerAutoConfiguration.class,
          TransactionAutoConfiguration.class,
          TransactionManagerCustomizationAutoConfiguration.class,
          SqlInitializationAutoConfiguration.class,
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
