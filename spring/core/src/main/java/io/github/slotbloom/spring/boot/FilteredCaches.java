package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.FilteredCacheManager;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.core.env.Environment;

/** Puts filters before the caches of each cache manager, where properties say so. */
final class FilteredCaches implements BeanPostProcessor {

  private static final String CACHES = SlotBloomProperties.PREFIX + ".caches";

  private final Environment environment;
  private final ListableBeanFactory beans;

  FilteredCaches(Environment environment, ListableBeanFactory beans) {
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

  /**
   * Looks for a name as in the properties too, and by qualifier: another bean may have the name.
   */
  private BloomFilter<?> filter(String cache, String filter) {
    List<String> names = List.of(filter, filter.replace('-', '_'));
    for (String bean :
        BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, BloomFilter.class)) {
      if (BeanFactoryAnnotationUtils.isQualifierMatch(names::contains, bean, beans)) {
        return beans.getBean(bean, BloomFilter.class);
      }
    }
    throw new FilterPropertyException(
        CACHES + "." + cache,
        "there is no filter " + filter + ".",
        "Declare it as " + SlotBloomProperties.FILTERS + "." + filter + ", or name another one.",
        null);
  }
}
