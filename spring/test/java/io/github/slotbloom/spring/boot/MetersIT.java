package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.micrometer.SlotBloomMetrics;
import io.github.slotbloom.spring.Deduplicate;
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

  static class Consumer {
    @Deduplicate(filter = "payments", key = "#id")
    public boolean consume(String id) {
      if (id.startsWith("bad")) {
        throw new IllegalArgumentException(id);
      }
      return true;
    }
  }

  @Test
  void callsThatRunOnceAreCounted() {
    application
        .withBean(Consumer.class)
        .run(
            context -> {
              SimpleMeterRegistry registry = new SimpleMeterRegistry();
              context.getBean(MeterBinder.class).bindTo(registry);
              Consumer consumer = context.getBean(Consumer.class);
              assertThat(consumer.consume("a")).isTrue();
              assertThat(consumer.consume("b")).isTrue();
              assertThat(consumer.consume("a")).isFalse();
              assertThatThrownBy(() -> consumer.consume("bad"))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThat(Application.text(context, "payments").add("c")).isTrue();
              assertThat(keys(registry, "new")).isEqualTo(3);
              assertThat(keys(registry, "seen")).isEqualTo(1);
            });
  }

  private static double keys(SimpleMeterRegistry registry, String result) {
    return registry
        .get("slotbloom.keys")
        .tags("filter", "payments", "result", result)
        .functionCounter()
        .count();
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
