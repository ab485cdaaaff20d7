package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.spring.EnableDeduplication;
import io.github.slotbloom.spring.SpringTransactions;
import java.time.Clock;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * Provides {@link SlotBloom}, {@link SpringTransactions}, and a bean for each filter that is
 * declared by properties.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
    })
@ConditionalOnClass({SlotBloom.class, DataSource.class})
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(prefix = SlotBloomProperties.PREFIX, name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SlotBloomProperties.class)
public class SlotBloomAutoConfiguration {

  static final String FILTERS_BEAN = "slotBloomFilters";

  /** Creates the configuration. */
  public SlotBloomAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  FilterDataSource slotBloomFilterDataSource(
      @SlotBloomDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all) {
    DataSource own = marked.getIfAvailable();
    // A proxy would hand out the connection of the application's transaction, which is not ours to
    // use.
    return new FilterDataSource(
        new SpringTransactions(own == null ? all.getObject() : own).dataSource());
  }

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  SlotBloom slotBloom(
      FilterDataSource dataSource,
      SlotBloomProperties properties,
      ObjectProvider<SlotBloomListener> listeners,
      ObjectProvider<SlotBloomCustomizer> customizers,
      ResourceLoader resources) {
    SlotBloom.Builder builder = SlotBloom.builder(dataSource.get());
    listeners.orderedStream().forEach(builder::listener);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    SlotBloom bloom = builder.build();
    if (properties.initializeSchema() == InitializeSchema.ALWAYS) {
      initialize(bloom, new SchemaInitializer(dataSource.get(), resources.getClassLoader()));
    }
    return bloom;
  }

  private static void initialize(SlotBloom bloom, SchemaInitializer schema) {
    try {
      schema.initialize(bloom);
    } catch (RuntimeException e) {
      bloom.close();
      throw e;
    }
  }

  @Bean
  @ConditionalOnMissingBean
  SpringTransactions slotBloomTransactions(FilterDataSource dataSource) {
    return new SpringTransactions(dataSource.get());
  }

  @Bean
  FilterFindings slotBloomFindings() {
    return new FilterFindings(Clock.systemUTC());
  }

  @Bean
  @ConditionalOnMissingBean
  SlotBloomHealthCheck slotBloomHealthCheck(
      SlotBloom bloom, ObjectProvider<BloomFilter<?>> filters, FilterFindings findings) {
    return new SlotBloomHealthCheck(bloom, filters, findings);
  }

  @Bean(FILTERS_BEAN)
  ConfiguredFilters slotBloomFilters(
      SlotBloom bloom,
      SlotBloomProperties properties,
      ObjectProvider<FilterSpecCustomizer> specCustomizers,
      ObjectProvider<FilterOptionsCustomizer> optionsCustomizers) {
    return new ConfiguredFilters(bloom, properties, specCustomizers, optionsCustomizers);
  }

  @Bean
  static FilterBeans slotBloomFilterBeans(
      Environment environment, ConfigurableListableBeanFactory beans) {
    return new FilterBeans(environment, beans);
  }

  /** Lets annotated methods run once for each key. */
  @Configuration(proxyBeanMethods = false)
  @EnableDeduplication
  static class Deduplication {}
}
