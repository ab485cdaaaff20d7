package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Filters that are declared by properties are beans, with the types of their keys. */
@DatabaseContract(migrated = true)
@PossibleLog(Application.NOT_STARTED)
class FilterBeansIT {

  private final TestSchema schema;
  private final ApplicationContextRunner application;

  FilterBeansIT(TestSchema schema) {
    this.schema = schema;
    this.application =
        Application.on(schema)
            .withPropertyValues(
                "slotbloom.filters.payments.capacity=1000",
                "slotbloom.filters.live-accounts.capacity=2000",
                "slotbloom.filters.live-accounts.key-type=long",
                "slotbloom.filters.pages_seen.capacity=3000",
                "slotbloom.filters.digests.capacity=1000",
                "slotbloom.filters.digests.key-type=bytes");
  }

  record Injected(
      BloomFilter<String> payments,
      BloomFilter<Long> onlyOneOfNumbers,
      BloomFilter<byte[]> onlyOneOfBytes,
      BloomFilter<String> pagesSeen,
      BloomFilter<String> byQualifier,
      BloomFilter<String> byNameInJava,
      BloomFilter<Long> byProperty) {}

  @Configuration(proxyBeanMethods = false)
  static class Injecting {
    @Bean
    Injected injected(
        BloomFilter<String> payments,
        BloomFilter<Long> numbers,
        BloomFilter<byte[]> bytes,
        BloomFilter<String> pagesSeen,
        @Qualifier("pages_seen") BloomFilter<String> other,
        @Qualifier("pagesSeen") BloomFilter<String> inJava,
        @Qualifier("live-accounts") BloomFilter<Long> property) {
      return new Injected(payments, numbers, bytes, pagesSeen, other, inJava, property);
    }
  }

  @Test
  void filtersAreInjectedByTypeAndName() {
    application
        .withUserConfiguration(Injecting.class)
        .run(
            context -> {
              Injected injected = context.getBean(Injected.class);
              assertThat(injected.payments().name()).isEqualTo("payments");
              assertThat(injected.onlyOneOfNumbers().name()).isEqualTo("live_accounts");
              assertThat(injected.onlyOneOfBytes().name()).isEqualTo("digests");
              assertThat(injected.pagesSeen().name()).isEqualTo("pages_seen");
              assertThat(injected.byQualifier()).isSameAs(injected.pagesSeen());
              assertThat(injected.byNameInJava()).isSameAs(injected.pagesSeen());
              assertThat(injected.byProperty()).isSameAs(injected.onlyOneOfNumbers());
              assertThat(injected.payments().add("x")).isTrue();
              assertThat(injected.onlyOneOfNumbers().add(1L)).isTrue();
              assertThat(context).hasSingleBean(SlotBloom.class);
            });
  }

  @Test
  void aFilterThatExistsIsOpenedUnlessItsParametersDiffer() {
    application.run(context -> assertThat(Application.text(context, "payments").add("x")).isTrue());
    application.run(
        context -> assertThat(Application.text(context, "payments").add("x")).isFalse());
    application
        .withPropertyValues("slotbloom.filters.payments.capacity=1001")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(FilterMismatchException.class.getName()));
  }

  @Test
  void everyPropertyReachesTheFilter() {
    Application.on(schema)
        .withPropertyValues(
            "slotbloom.filters.ids.capacity=5000",
            "slotbloom.filters.ids.false-positive-rate=0.01",
            "slotbloom.filters.ids.key-type=long",
            "slotbloom.filters.ids.layout=standard",
            "slotbloom.filters.ids.hash=siphash-24",
            "slotbloom.filters.ids.on-full=refuse",
            "slotbloom.filters.ids.fixed=true",
            "slotbloom.filters.ids.retain-hashes=true",
            "slotbloom.filters.ids.removable-percent=50",
            "slotbloom.filters.ids.freshness=500ms",
            "slotbloom.filters.ids.mirror=false",
            "slotbloom.filters.ids.timeout=5s",
            "slotbloom.filters.ids.queue-capacity=40000",
            "slotbloom.filters.ids.backlog-limit=100",
            "slotbloom.filters.ids.when-unavailable=answer-maybe",
            "slotbloom.filters.ids.warn-at=0.5",
            "slotbloom.filters.week.capacity=5000",
            "slotbloom.filters.week.window.length=7d",
            "slotbloom.filters.week.window.buckets=7",
            "slotbloom.filters.week.window.renew=true")
        .run(
            context -> {
              FilterInfo info = context.getBean(SlotBloom.class).info("ids");
              assertThat(info.capacity()).isEqualTo(5000);
              assertThat(info.falsePositiveRate()).isEqualTo(0.01);
              assertThat(info.keyType()).isEqualTo("long");
              assertThat(info.layout()).isEqualTo(Layout.STANDARD);
              assertThat(info.hash()).isEqualTo(HashAlgorithm.SIPHASH_24.id());
              assertThat(info.onFull()).isEqualTo(OnFull.REFUSE);
              assertThat(info.growable()).isFalse();
              assertThat(info.retainHashes()).isTrue();
              assertThat(info.removableKeys()).isEqualTo(5000);
              assertThat(context.getBean("ids", BloomFilter.class).statistics().mirror()).isEmpty();
              assertThat(context.getBean(SlotBloom.class).info("week").window())
                  .hasValueSatisfying(
                      window -> {
                        assertThat(window.length()).isEqualTo(Duration.ofDays(7));
                        assertThat(window.buckets()).isEqualTo(7);
                        assertThat(window.renews()).isTrue();
                      });
            });
  }

  @Test
  void customizersChangeWhatPropertiesSay() {
    application
        .withUserConfiguration(Customizing.class)
        .run(
            context -> {
              BloomFilter<?> payments = context.getBean("payments", BloomFilter.class);
              assertThat(info(context, "payments").capacity()).isEqualTo(4000);
              assertThat(payments.statistics().mirror()).isEmpty();
              assertThat(info(context, "digests").capacity()).isEqualTo(1000);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Customizing {
    @Bean
    FilterSpecCustomizer larger() {
      return (filter, spec) -> {
        if (filter.equals("payments")) {
          spec.capacity(4000);
        }
      };
    }

    @Bean
    FilterOptionsCustomizer withoutMirror() {
      return (filter, options) -> options.withoutMirror();
    }
  }

  @Test
  void aBeanOfTheApplicationTakesThePlaceOfADeclaredFilterOrItsName() {
    application
        .withUserConfiguration(OwnFilter.class)
        .withBean("digests", StringBuilder.class)
        .run(
            context -> {
              assertThat(context.getBean("payments", BloomFilter.class).name()).isEqualTo("own");
              assertThat(context.getBean("digests")).isInstanceOf(StringBuilder.class);
              assertThat(context.getBean("digestsBloomFilter", BloomFilter.class).name())
                  .isEqualTo("digests");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnFilter {
    @Bean
    BloomFilter<String> payments(SlotBloom bloom) {
      return bloom.openOrReserve("own", FilterSpec.builder(KeyType.text()).capacity(1000).build());
    }
  }

  @Test
  void filtersAreClosedBeforeThePool() {
    AtomicReference<BloomFilter<?>> filter = new AtomicReference<>();
    ClosingOrder order = new ClosingOrder();
    application
        .withInitializer(context -> context.getBeanFactory().addBeanPostProcessor(order))
        .run(context -> filter.set(context.getBean("payments", BloomFilter.class)));
    assertThat(order.closed).containsSubsequence("payments", "slotBloom", "dataSource");
    assertThatThrownBy(() -> filter.get().addEach(List.of()))
        .isInstanceOf(FilterClosedException.class);
  }

  private static FilterInfo info(ApplicationContext context, String filter) {
    return context.getBean(SlotBloom.class).info(filter);
  }

  private static final class ClosingOrder implements DestructionAwareBeanPostProcessor {
    private final List<String> closed = new ArrayList<>();

    @Override
    public void postProcessBeforeDestruction(Object bean, String name) {
      closed.add(name);
    }
  }

  @Test
  void theMarkedDataSourceHoldsTheFilters() {
    Application.on(schema)
        .withUserConfiguration(TwoDataSources.class)
        .withPropertyValues("slotbloom.filters.payments.capacity=1000")
        .withBean(Schema.class, () -> new Schema(schema))
        .run(context -> assertThat(Application.text(context, "payments").add("x")).isTrue());
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoDataSources {
    @Bean
    @Primary
    DataSource broken() {
      HikariDataSource broken = new HikariDataSource();
      broken.setJdbcUrl("jdbc:mysql://127.0.0.1:1/none");
      broken.setInitializationFailTimeout(-1);
      return broken;
    }

    @Bean
    @SlotBloomDataSource
    DataSource filters(Schema schema) {
      return schema.schema().pool();
    }
  }

  /** The schema of the test as a bean that Spring does not close. */
  record Schema(TestSchema schema) {}

  @ParameterizedTest
  @ValueSource(strings = {"LIVEACCOUNTS", "LIVE_ACCOUNTS"})
  void anEnvironmentVariableChangesAFilterAndMakesNoOther(String name) {
    application
        .withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(
                        new SystemEnvironmentPropertySource(
                            "test-systemEnvironment",
                            Map.of("SLOTBLOOM_FILTERS_" + name + "_CAPACITY", "5000"))))
        .run(
            context -> {
              assertThat(info(context, "live_accounts").capacity()).isEqualTo(5000);
              assertThat(context.getBean(SlotBloom.class).names())
                  .containsExactlyInAnyOrder("payments", "live_accounts", "pages_seen", "digests");
            });
  }

  @Test
  void switchedOffThereAreNoBeans() {
    application
        .withPropertyValues("slotbloom.enabled=false")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(SlotBloom.class);
              assertThat(context).doesNotHaveBean(BloomFilter.class);
            });
  }
}
