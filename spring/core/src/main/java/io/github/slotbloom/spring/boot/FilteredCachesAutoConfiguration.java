package io.github.slotbloom.spring.boot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Puts filters before the caches that properties name. */
@AutoConfiguration(after = SlotBloomAutoConfiguration.class)
@ConditionalOnClass(CacheManager.class)
@ConditionalOnBean(ConfiguredFilters.class)
public class FilteredCachesAutoConfiguration {

  /** Creates the configuration. */
  public FilteredCachesAutoConfiguration() {}

  @Bean
  static FilteredCaches slotBloomFilteredCaches(
      Environment environment, ListableBeanFactory beans) {
    return new FilteredCaches(environment, beans);
  }
}
