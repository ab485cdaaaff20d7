package io.github.slotbloom.spring.boot;

import io.github.slotbloom.FilterSpec;

/**
 * A bean that changes the specification of filters that are declared by properties, for what has no
 * property, such as a seed.
 */
@FunctionalInterface
public interface FilterSpecCustomizer {

  /**
   * Changes the specification of a filter. Beans of this type are called in their order.
   *
   * @param filter the name of the filter in the database
   * @param spec has what the properties say
   */
  void customize(String filter, FilterSpec.Builder<?> spec);
}
