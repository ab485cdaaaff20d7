package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A filter before a cache keeps keys away from the method that nobody added. */
@DatabaseContract(migrated = true)
@PossibleLog(Application.NOT_STARTED)
class FilteredCachesIT {

  private final ApplicationContextRunner application;

  FilteredCachesIT(TestSchema schema) {
    this.application =
        Application.on(schema)
            .withConfiguration(AutoConfigurations.of(FilteredCachesAutoConfiguration.class))
            .withUserConfiguration(Caching.class)
            .withPropertyValues(
                "slotbloom.filters.users.capacity=1000",
                "slotbloom.filters.users.false-positive-rate=1e-9",
                "slotbloom.caches.users=users");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {
    @Bean
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager();
    }

    @Bean
    Users lookups() {
      return new Users();
    }
  }

  static class Users {
    private final List<String> calls = new ArrayList<>();

    @Cacheable(cacheNames = "users", key = "#id")
    public String find(String id) {
      return call(id);
    }

    @Cacheable(cacheNames = "users", key = "#id", sync = true)
    public String findInTurn(String id) {
      return call(id);
    }

    @Cacheable(cacheNames = "others", key = "#id")
    public String findOther(String id) {
      return call(id);
    }

    private String call(String id) {
      calls.add(id);
      return id.startsWith("gone") ? null : "user " + id;
    }

    List<String> calls() {
      return calls;
    }
  }

  @Test
  void aMethodIsNotCalledForKeysThatTheFilterLacks() {
    application.run(
        context -> {
          BloomFilter<String> filter = Application.text(context, "users");
          Users users = context.getBean(Users.class);
          filter.addEach(List.of("ann", "bob", "gone 1", "gone 2"));
          IntStream.range(0, 100).forEach(i -> assertThat(users.find("absent " + i)).isNull());
          assertThat(users.findInTurn("absent")).isNull();
          assertThat(users.calls()).isEmpty();
          for (int i = 0; i < 3; i++) {
            assertThat(users.find("ann")).isEqualTo("user ann");
            assertThat(users.findInTurn("bob")).isEqualTo("user bob");
            // Keys that are gone are false positives.
            assertThat(users.find("gone 1")).isNull();
            assertThat(users.findInTurn("gone 2")).isNull();
          }
          assertThat(users.calls()).containsExactly("ann", "bob", "gone 1", "gone 2");
          assertThat(filter.statistics().usage().falsePositives()).isEqualTo(2);
          assertThat(users.findOther("absent")).isEqualTo("user absent");
        });
  }

  @Test
  void theCacheItselfCanBeUsed() {
    application.run(
        context -> {
          Application.text(context, "users").add("ann");
          Cache cache = context.getBean(CacheManager.class).getCache("users");
          assertThat(cache).isSameAs(context.getBean(CacheManager.class).getCache("users"));
          // Meters of the cache are bound to this.
          assertThat(cache.getNativeCache()).isInstanceOf(ConcurrentMap.class);
          assertThat(cache.get("bob")).isNotNull();
          assertThat(cache.get("bob").get()).isNull();
          assertThat(cache.get("ann")).isNull();
          Callable<String> loader = () -> "Ann";
          assertThat(cache.get("ann", loader)).isEqualTo("Ann");
          assertThat(cache.get("ann", String.class)).isEqualTo("Ann");
          assertThat(cache.get("bob", loader)).isNull();
          cache.evict("ann");
          assertThat(cache.get("ann")).isNull();
          assertThatThrownBy(() -> cache.get(7L))
              .isInstanceOf(InvalidKeyException.class)
              .hasMessageContaining("users")
              .hasMessageContainingAll("key 7", "the type java.lang.Long");
        });
  }

  @Test
  void theFilterIsFoundByItsNameInThePropertiesAndWhereAnotherBeanHasIt() {
    application
        .withBean("users", StringBuilder.class)
        .withPropertyValues(
            "slotbloom.filters.other-users.capacity=1000", "slotbloom.caches.others=other-users")
        .run(
            context -> {
              Users users = context.getBean(Users.class);
              assertThat(users.find("ann")).isNull();
              Application.text(context, "usersBloomFilter").add("ann");
              assertThat(users.find("ann")).isEqualTo("user ann");
              assertThat(users.findOther("ann")).isNull();
              Application.text(context, "other_users").add("ann");
              assertThat(users.findOther("ann")).isEqualTo("user ann");
            });
  }

  @Test
  void anUnknownFilterKeepsTheApplicationFromStarting() {
    application
        .withPropertyValues("slotbloom.caches.orders=order-ids")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                        "Property slotbloom.caches.orders: there is no filter order-ids."));
  }
}
