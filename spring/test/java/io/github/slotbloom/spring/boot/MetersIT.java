package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.micrometer.SlotBloomMetrics;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Filters have meters if Micrometer is there. */
@DatabaseContract(migrated = true)
class MetersIT {

  private final ApplicationContextRunner application;

  MetersIT(TestSchema schema) {
    this.application =
        Application.on(schema)
            .withConfiguration(AutoConfigurations.of(SlotBloomMetricsAutoConfiguration.class))
            .withPropertyValues("slotbloom.filters.payments.capacity=1000");
  }

  @Test
  void theBinderHearsOfTheFilters() {
    application.run(
        context -> {
          SimpleMeterRegistry registry = new SimpleMeterRegistry();
          context.getBean(MeterBinder.class).bindTo(registry);
          assertThat(Application.text(context, "payments").add("a")).isTrue();
          assertThat(
                  registry
                      .get("slotbloom.keys")
                      .tags("filter", "payments", "result", "new")
                      .functionCounter()
                      .count())
              .isEqualTo(1);
        });
  }

  @ParameterizedTest
  @ValueSource(classes = {SlotBloomMetrics.class, MeterBinder.class})
  void theApplicationStartsWithoutMeters(Class<?> missing) {
    application
        .withClassLoader(new FilteredClassLoader(missing))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean("slotBloomMetrics");
              assertThat(Application.text(context, "payments").add("b")).isTrue();
            });
  }

  @Test
  void thereAreNoMetersIfSlotbloomIsSwitchedOff() {
    application
        .withPropertyValues("slotbloom.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(SlotBloomMetrics.class));
  }
}
