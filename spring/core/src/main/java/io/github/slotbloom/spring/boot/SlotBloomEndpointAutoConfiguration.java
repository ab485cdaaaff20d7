package io.github.slotbloom.spring.boot;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Provides {@link SlotBloomEndpoint} to applications that have the Actuator and expose it. */
@AutoConfiguration(after = SlotBloomAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(SlotBloom.class)
public class SlotBloomEndpointAutoConfiguration {

  /** Creates the configuration. */
  public SlotBloomEndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint
  SlotBloomEndpoint slotBloomEndpoint(SlotBloom bloom, ObjectProvider<BloomFilter<?>> filters) {
    return new SlotBloomEndpoint(bloom, filters);
  }
}
