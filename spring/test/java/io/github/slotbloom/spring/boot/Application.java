package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.testing.TestSchema;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications of the tests, on a schema of a test. */
final class Application {

  /** An application does not start, and Spring says so. */
  static final String NOT_STARTED =
      "^WARN AnnotationConfigApplicationContext - Exception encountered during context";

  private Application() {}

  static ApplicationContextRunner on(TestSchema schema) {
    return new ApplicationContextRunner()
        .withConfiguration(BootClasses.DATABASE)
        .withPropertyValues(
            "spring.datasource.url=" + schema.url(),
            "spring.datasource.username=" + schema.owner().user(),
            "spring.datasource.password=" + schema.owner().password(),
            "spring.datasource.hikari.maximum-pool-size=12",
            "spring.datasource.hikari.minimum-idle=0");
  }

  /** Returns the filter of text under a bean name. */
  @SuppressWarnings("unchecked")
  static BloomFilter<String> text(BeanFactory context, String bean) {
    return (BloomFilter<String>) context.getBean(bean, BloomFilter.class);
  }
}
