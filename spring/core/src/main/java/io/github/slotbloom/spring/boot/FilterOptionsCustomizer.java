package io.github.slotbloom.spring.boot;

import io.github.slotbloom.FilterOptions;

/** A bean that changes how this process opens filters that are declared by properties. */
@FunctionalInterface
public interface FilterOptionsCustomizer {

  /**
   * Returns the settings for a filter. Beans of this type are called in their order.
   *
   * @param filter the name of the filter in the database
   * @param options what the properties say
   * @return the same settings, or a changed copy
   */
  FilterOptions customize(String filter, FilterOptions options);
}
