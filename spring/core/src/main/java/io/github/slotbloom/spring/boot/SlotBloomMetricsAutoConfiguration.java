package io.github.slotbloom.spring.boot;

import io.github.slotbloom.micrometer.SlotBloomMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Provides meters of the filters, if Micrometer and slotbloom-micrometer are there. */
@AutoConfiguration(before = SlotBloomAutoConfiguration.class)
@ConditionalOnClass({SlotBloomMetrics.class, MeterBinder.class})
@ConditionalOnProperty(prefix = SlotBloomProperties.PREFIX, name = "enabled", matchIfMissing = true)
public class SlotBloomMetricsAutoConfiguration {

  /** Creates the configuration. */
  public SlotBloomMetricsAutoConfiguration() {}

  /** Boot binds it to each registry, and SlotBloom tells it of filters, since it is a listener. */
  @Bean
  @ConditionalOnMissingBean
  SlotBloomMetrics slotBloomMetrics() {
    return new SlotBloomMetrics();
  }
}
