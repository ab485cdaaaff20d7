package io.github.slotbloom.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.sql.autoconfigure.init.SqlInitializationAutoConfiguration;
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
          SqlInitializationAutoConfiguration.class,
          SlotBloomAutoConfiguration.class);

  static final AutoConfigurations FLYWAY = AutoConfigurations.of(FlywayAutoConfiguration.class);

  private BootClasses() {}
}
