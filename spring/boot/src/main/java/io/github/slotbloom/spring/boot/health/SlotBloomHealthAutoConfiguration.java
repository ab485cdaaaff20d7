package io.github.slotbloom.spring.boot.health;

import io.github.slotbloom.spring.boot.SlotBloomAutoConfiguration;
import io.github.slotbloom.spring.boot.SlotBloomHealthCheck;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Provides the health contributor {@code slotbloom}. It is down if the database cannot be used; all
 * else is in its details.
 */
@AutoConfiguration(after = SlotBloomAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(SlotBloomHealthCheck.class)
public class SlotBloomHealthAutoConfiguration {

  /** Creates the configuration. */
  public SlotBloomHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "slotbloomHealthIndicator")
  @ConditionalOnEnabledHealthIndicator("slotbloom")
  HealthIndicator slotbloomHealthIndicator(SlotBloomHealthCheck check) {
    return new SlotBloomHealthIndicator(check);
  }

  private static final class SlotBloomHealthIndicator extends AbstractHealthIndicator {

    private final SlotBloomHealthCheck check;

    SlotBloomHealthIndicator(SlotBloomHealthCheck check) {
      super("The database of the filters cannot be used");
      this.check = check;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
      health.up().withDetails(check.details());
    }
  }
}
