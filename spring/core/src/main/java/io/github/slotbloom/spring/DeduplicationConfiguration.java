package io.github.slotbloom.spring;

import java.time.Clock;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/** The beans that intercept methods with {@link Deduplicate}. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(DeduplicationConfiguration.AutoProxies.class)
class DeduplicationConfiguration {

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static DeduplicateAdvisor slotBloomDeduplicateAdvisor(ConfigurableListableBeanFactory beans) {
    return new DeduplicateAdvisor(new DeduplicatedMethods(beans, Clock.systemUTC()));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static DeduplicateStartupCheck slotBloomDeduplicateStartupCheck(
      ConfigurableListableBeanFactory beans, DeduplicateAdvisor advisor) {
    return new DeduplicateStartupCheck(beans, advisor);
  }

  /** Makes sure that beans get proxies, as where nothing else in the application needs them. */
  static final class AutoProxies implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
