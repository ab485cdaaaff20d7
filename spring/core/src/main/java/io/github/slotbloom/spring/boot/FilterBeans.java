package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * Registers a bean for each filter that is declared by properties, under its name and with the type
 * of its keys.
 */
final class FilterBeans implements BeanDefinitionRegistryPostProcessor {

  private static final Bindable<Map<String, FilterProperties>> FILTERS =
      Bindable.mapOf(String.class, FilterProperties.class);

  private static final Pattern UNDERSCORES = Pattern.compile("_+([a-z0-9]?)");

  private final Environment environment;
  private final ConfigurableListableBeanFactory beans;

  FilterBeans(Environment environment, ConfigurableListableBeanFactory beans) {
    this.environment = environment;
    this.beans = beans;
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    Map<String, FilterProperties> filters =
        Binder.get(environment).bind(SlotBloomProperties.FILTERS, FILTERS).orElseGet(Map::of);
    filters.forEach(
        (key, properties) -> {
          if (!isOtherSpelling(key, filters.keySet())) {
            register(registry, key, new DeclaredFilter(key, properties));
          }
        });
  }

  /**
   * Returns true for a key such as liveaccounts, if there is live-accounts. An environment variable
   * spells it so, and Boot has given what it says to the filter of the other key already.
   */
  private static boolean isOtherSpelling(String key, Set<String> keys) {
    return keys.stream()
        .anyMatch(other -> !other.equals(key) && other.replaceAll("[-_]", "").equals(key));
  }

  private void register(BeanDefinitionRegistry registry, String key, DeclaredFilter filter) {
    boolean taken = registry.isBeanNameInUse(filter.bean());
    if (taken && beans.isTypeMatch(filter.bean(), BloomFilter.class)) {
      return; // The application has a filter of its own in its place.
    }
    String name = taken ? filter.bean() + "BloomFilter" : filter.bean();
    if (taken && registry.isBeanNameInUse(name) && beans.isTypeMatch(name, BloomFilter.class)) {
      return; // It was registered ahead of time.
    }
    RootBeanDefinition definition = definition(key, filter);
    if (taken) {
      // Where there is a qualifier, aliases are none.
      definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, filter.bean()));
    }
    registry.registerBeanDefinition(name, definition);
    for (String alias : List.of(inCamelCase(filter.bean()), key)) {
      if (!registry.isBeanNameInUse(alias)) {
        registry.registerAlias(name, alias);
      }
    }
  }

  private static RootBeanDefinition definition(String key, DeclaredFilter filter) {
    RootBeanDefinition definition = new RootBeanDefinition();
    definition.setTargetType(
        ResolvableType.forClassWithGenerics(BloomFilter.class, filter.keyType().keyClass()));
    definition.setFactoryBeanName(SlotBloomAutoConfiguration.FILTERS_BEAN);
    definition.setFactoryMethodName("open");
    definition.getConstructorArgumentValues().addIndexedArgumentValue(0, key);
    definition.setDestroyMethodName("close");
    definition.setResourceDescription("property " + filter.prefix());
    return definition;
  }

  /** Returns the name that a parameter or a field for this filter would have in Java. */
  private static String inCamelCase(String name) {
    return UNDERSCORES.matcher(name).replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
  }
}
