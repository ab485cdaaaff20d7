package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.FilteredCacheManager;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.core.env.Environment;

/** Puts filters before the caches of each cache manager, where properties say so. */
final class FilteredCaches implements BeanPostProcessor {

  private static final String CACHES = SlotBloomProperties.PREFIX + ".caches";

  private final Environment environment;
  private final BeanFactory beans;

  FilteredCaches(Environment environment, BeanFactory beans) {
    this.environment = environment;
    this.beans = beans;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (!(bean instanceof CacheManager caches)) {
      return bean;
    }
    Map<String, BloomFilter<?>> filters = new HashMap<>();
    Binder.get(environment)
        .bind(CACHES, Bindable.mapOf(String.class, String.class))
        .orElseGet(Map::of)
        .forEach((cache, filter) -> filters.put(cache, filter(cache, filter)));
    return filters.isEmpty() ? bean : new FilteredCacheManager(caches, filters);
  }

  private BloomFilter<?> filter(String cache, String filter) {
    try {
      return beans.getBean(filter, BloomFilter.class);
    } catch (NoSuchBeanDefinitionException e) {
      throw new FilterPropertyException(
          CACHES + "." + cache,
          "there is no filter " + filter + ".",
          "Declare it as " + SlotBloomProperties.FILTERS + "." + filter + ", or name another one.",
          e);
    }
  }
}
