package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.InvalidParameterException;
import org.springframework.beans.factory.ObjectProvider;

/** Opens the filters that are declared by properties, and reserves those that do not exist. */
final class ConfiguredFilters {

  private final SlotBloom bloom;
  private final SlotBloomProperties properties;
  private final ObjectProvider<FilterSpecCustomizer> specCustomizers;
  private final ObjectProvider<FilterOptionsCustomizer> optionsCustomizers;

  ConfiguredFilters(
      SlotBloom bloom,
      SlotBloomProperties properties,
      ObjectProvider<FilterSpecCustomizer> specCustomizers,
      ObjectProvider<FilterOptionsCustomizer> optionsCustomizers) {
    this.bloom = bloom;
    this.properties = properties;
    this.specCustomizers = specCustomizers;
    this.optionsCustomizers = optionsCustomizers;
  }

  /**
   * Opens a filter; the factory method of its bean.
   *
   * @param key its name in the properties
   */
  BloomFilter<?> open(String key) {
    FilterProperties declared = properties.filters().get(key);
    if (declared == null) {
      throw new IllegalStateException("There is no " + SlotBloomProperties.FILTERS + "." + key);
    }
    DeclaredFilter filter = new DeclaredFilter(key, declared);
    return bloom.openOrReserve(filter.name(), spec(filter), options(filter));
  }

  private FilterSpec<?> spec(DeclaredFilter filter) {
    FilterSpec.Builder<?> spec = filter.spec();
    specCustomizers
        .orderedStream()
        .forEach(customizer -> customizer.customize(filter.name(), spec));
    try {
      return filter.build(spec);
    } catch (InvalidParameterException e) {
      throw new FilterPropertyException(
          filter.prefix(), "the filter cannot be.", String.valueOf(e.getMessage()), e);
    }
  }

  private FilterOptions options(DeclaredFilter filter) {
    FilterOptions options = filter.options();
    for (FilterOptionsCustomizer customizer : optionsCustomizers.orderedStream().toList()) {
      options = customizer.customize(filter.name(), options);
    }
    return options;
  }
}
