package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.spring.Deduplicate;
import io.github.slotbloom.spring.SpringTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Keys that are recorded in the transactions of JPA. Hibernate writes its rows after the key. */
@DatabaseContract(migrated = true)
@PossibleLog(JpaIT.OF_HIBERNATE)
class JpaIT {

  /** It complains of the dialect, with and without one, and tells each error of the server. */
  static final String OF_HIBERNATE = "^(WARN|ERROR) \\w+ - (HHH|SQL Error: 1062|Duplicate entry)";

  private final TestSchema schema;
  private final JdbcTemplate jdbc;
  private final ApplicationContextRunner application;

  JpaIT(TestSchema schema) {
    this.schema = schema;
    jdbc = new JdbcTemplate(schema.dataSource());
    application =
        Application.on(schema)
            .withUserConfiguration(Jpa.class)
            .withBean(Bookings.class)
            .withPropertyValues(
                "slotbloom.filters.payments.capacity=1000",
                "slotbloom.filters.payments.false-positive-rate=1e-9");
  }

  @Entity(name = "booking")
  static class Booking {
    @Id String id;

    protected Booking() {}

    Booking(String id) {
      this.id = id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Jpa {
    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
      LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
      factory.setDataSource(dataSource);
      factory.setManagedTypes(PersistenceManagedTypes.of(Booking.class.getName()));
      factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      // By this driver, MariaDB is not what its server says.
      factory.setJpaPropertyMap(Map.of("hibernate.dialect", "org.hibernate.dialect.MySQLDialect"));
      return factory;
    }

    @Bean
    PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }
  }

  static class Bookings {
    @PersistenceContext private EntityManager entities;

    @Deduplicate(filter = "payments", key = "#key")
    boolean book(String key, String id) {
      entities.persist(new Booking(id));
      if (key.startsWith("bad")) {
        throw new IllegalStateException(key);
      }
      return true;
    }
  }

  private interface Use {
    void of(ApplicationContext context, Bookings bookings, BloomFilter<String> payments);
  }

  private void run(Use use) {
    jdbc.execute("CREATE TABLE booking (id VARCHAR(20) PRIMARY KEY)");
    application.run(
        context ->
            use.of(
                context,
                context.getBean(Bookings.class),
                Application.text(context, "payments")));
  }

  private List<String> rows() {
    return jdbc.queryForList("SELECT id FROM booking ORDER BY id", String.class);
  }

  @Test
  void aCallThatFailsGivesItsKeyBackAndARepeatedOneDoesNotRun() {
    run(
        (context, bookings, payments) -> {
          assertThatThrownBy(() -> bookings.book("bad", "1"))
              .isInstanceOf(IllegalStateException.class);
          assertThat(payments.mightContain("bad")).isFalse();
          assertThat(rows()).isEmpty();
          assertThat(bookings.book("a", "1")).isTrue();
          assertThat(bookings.book("a", "2")).isFalse();
          // The flush comes after the key.
          assertThatThrownBy(() -> bookings.book("b", "1"))
              .satisfiesAnyOf(
                  e -> assertThat(e).isInstanceOf(PersistenceException.class),
                  e -> assertThat(e).hasCauseInstanceOf(PersistenceException.class));
          assertThat(payments.mightContain("b")).isFalse();
          assertThat(bookings.book("b", "2")).isTrue();
          assertThat(rows()).containsExactly("1", "2");
        });
  }

  @Test
  void callsJoinTheTransactionOfTheThread() {
    run(
        (context, bookings, payments) -> {
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
              .executeWithoutResult(
                  status -> {
                    assertThat(bookings.book("a", "1")).isTrue();
                    assertThat(bookings.book("a", "2")).isFalse();
                    assertThat(
                            context.getBean(SpringTransactions.class).within(payments).add("b"))
                        .isTrue();
                    status.setRollbackOnly();
                  });
          assertThat(payments.mightContainEach(List.of("a", "b"))).containsExactly(false, false);
          assertThat(rows()).isEmpty();
        });
  }
}
