package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The Actuator tells of the health and of the figures of filters, where there is one. */
@DatabaseContract(migrated = true)
@PossibleLog("the database|SlotBloomHealthIndicator|Heartbeat|UsageRecorder")
class ActuatorIT {

  private final ApplicationContextRunner application;

  ActuatorIT(TestSchema schema) {
    this.application =
        Application.on(schema)
            .withConfiguration(BootClasses.HEALTH)
            .withConfiguration(AutoConfigurations.of(SlotBloomEndpointAutoConfiguration.class))
            .withPropertyValues(
                "management.endpoints.web.exposure.include=slotbloom",
                "slotbloom.filters.payments.capacity=1000",
                "slotbloom.filters.payments.hash=siphash-24",
                "slotbloom.filters.week.capacity=1000",
                "slotbloom.filters.week.window.length=7d");
  }

  @Test
  void theHealthTellsOfTheDatabaseAndHasFindingsAsDetails() {
    application.run(
        context -> {
          Map.Entry<String, Map<String, Object>> health = BootClasses.health(context);
          assertThat(health.getKey()).isEqualTo("UP");
          assertThat(health.getValue())
              .containsKeys("databaseTime", "server")
              .containsEntry("filters", Map.of("payments", List.of(), "week", List.of()));

          FilterFindings findings = context.getBean(FilterFindings.class);
          findings.on(new SlotBloomEvent.WeakDurability("sync_binlog is 0"));
          findings.on(new SlotBloomEvent.NearlyFull("payments", 900, 1000, "let it grow"));
          health = BootClasses.health(context);
          assertThat(health.getKey()).isEqualTo("UP");
          assertThat(health.getValue()).containsEntry("server", List.of("sync_binlog is 0"));
          assertThat(health.getValue().get("filters").toString())
              .contains("nearly full: it holds 900 of 1,000 keys");
          findings.on(new SlotBloomEvent.DurabilityRestored());
          assertThat(BootClasses.health(context).getValue()).containsEntry("server", List.of());

          context.getBean(HikariDataSource.class).close();
          assertThat(BootClasses.health(context).getKey()).isEqualTo("DOWN");
        });
  }

  @Test
  void theEndpointHasTheFiguresOfEachFilter() {
    application.run(
        context -> {
          Application.text(context, "payments").add("a secret key");
          SlotBloomEndpoint endpoint = context.getBean(SlotBloomEndpoint.class);
          assertThat(endpoint.filters()).containsOnlyKeys("payments", "week");
          SlotBloomEndpoint.Figures payments = endpoint.filter("payments");
          assertThat(payments.keys()).isEqualTo(1);
          assertThat(payments.capacity()).isEqualTo(1000);
          assertThat(payments.used()).isEqualTo(0.001);
          assertThat(payments.generations()).hasSize(1);
          assertThat(payments.mirror()).isNotNull();
          assertThat(endpoint.filter("week").window()).isEqualTo("PT168H");
          assertThat(endpoint.filter("week").generations().get(0).expires()).isNotNull();
          assertThat(endpoint.filter("none")).isNull();
          assertThat(endpoint.filter("No name")).isNull();
          long seed = context.getBean(SlotBloom.class).info("payments").seed().value();
          assertThat(endpoint.filters().toString()).doesNotContain("secret", Long.toString(seed));
        });
  }

  @Test
  void withoutTheActuatorThereAreFiltersAlone() {
    application
        .withClassLoader(
            new FilteredClassLoader(
                "org.springframework.boot.actuate", "org.springframework.boot.health"))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean("slotbloomHealthIndicator");
              assertThat(context).doesNotHaveBean("slotBloomEndpoint");
              assertThat(context).hasBean("payments");
            });
  }

  @Test
  void bothCanBeSwitchedOff() {
    application
        .withPropertyValues(
            "management.health.slotbloom.enabled=false",
            "management.endpoints.web.exposure.include=health")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(BootClasses.INDICATOR);
              assertThat(context).doesNotHaveBean(SlotBloomEndpoint.class);
              assertThat(context).hasSingleBean(SlotBloom.class);
              assertThat(context).getBeans(BloomFilter.class).hasSize(2);
            });
  }
}
