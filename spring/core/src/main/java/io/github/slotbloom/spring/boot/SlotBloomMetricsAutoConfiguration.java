package io.github.slotbloom.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/**
 * The place of the meters of Slotbloom, for applications that have them on the class path. It has
 * no bean yet.
 */
@AutoConfiguration(after = SlotBloomAutoConfiguration.class)
@ConditionalOnClass(name = "io.github.slotbloom.micrometer.SlotBloomMetrics")
@ConditionalOnBean(type = "io.micrometer.core.instrument.MeterRegistry")
public class SlotBloomMetricsAutoConfiguration {

  /** Creates the configuration. */
  public SlotBloomMetricsAutoConfiguration() {}
}
