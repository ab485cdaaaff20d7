package io.github.slotbloom.spring.boot;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of Slotbloom.
 *
 * @param enabled Whether there are beans of Slotbloom at all. Without them, methods with
 *     Deduplicate run each time.
 * @param initializeSchema Whether the application creates the tables that all filters share.
 * @param filters The filters that are beans, by the name of the bean. A hyphen stands for an
 *     underscore.
 * @param caches Filters that stand before caches, by the name of the cache. Cacheable methods are
 *     not called for keys that the filter lacks.
 */
@ConfigurationProperties(SlotBloomProperties.PREFIX)
public record SlotBloomProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("always") InitializeSchema initializeSchema,
    @DefaultValue Map<String, FilterProperties> filters,
    @DefaultValue Map<String, String> caches) {

  static final String PREFIX = "slotbloom";

  static final String FILTERS = PREFIX + ".filters";
}
