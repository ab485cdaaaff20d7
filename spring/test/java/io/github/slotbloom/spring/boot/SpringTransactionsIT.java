package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.spring.SpringTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Adds join the transaction that Spring holds open, and no other one. */
@DatabaseContract(migrated = true)
class SpringTransactionsIT {

  private final TestSchema schema;
  private final ApplicationContextRunner application;

  SpringTransactionsIT(TestSchema schema) {
    this.schema = schema;
    this.application =
        Application.on(schema)
            .withPropertyValues(
                "slotbloom.filters.payments.capacity=1000",
                "slotbloom.filters.refunds.capacity=1000");
  }

  private static TransactionTemplate transaction(ApplicationContext context) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  @Test
  void keysAndRowsCommitAndRollBackTogether() {
    application.run(
        context -> {
          SpringTransactions transactions = context.getBean(SpringTransactions.class);
          BloomFilter<String> payments = Application.text(context, "payments");
          JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
          jdbc.execute("CREATE TABLE booked (id VARCHAR(9))");
          transaction(context)
              .executeWithoutResult(
                  status -> {
                    jdbc.update("INSERT INTO booked VALUES ('a')");
                    assertThat(transactions.within(payments).add("a")).isTrue();
                    assertThat(payments.mightContain("a")).isFalse();
                  });
          assertThat(payments.mightContain("a")).isTrue();
          assertThat(jdbc.queryForList("SELECT id FROM booked")).hasSize(1);

          transaction(context)
              .executeWithoutResult(
                  status -> {
                    assertThat(transactions.within(payments).add("b")).isTrue();
                    assertThat(transactions.within(payments).add("b")).isFalse();
                    status.setRollbackOnly();
                  });
          assertThat(payments.mightContain("b")).isFalse();
          assertThat(payments.add("b")).isTrue();
        });
  }

  @Test
  void withoutATransactionOfItsDataSourceACallSaysSo() {
    application.run(
        context -> {
          SpringTransactions transactions = context.getBean(SpringTransactions.class);
          BloomFilter<String> payments = Application.text(context, "payments");
          assertThatThrownBy(() -> transactions.within(payments))
              .isInstanceOf(TransactionStateException.class)
              .hasMessageContaining("payments")
              .hasMessageContaining("@Transactional");
          TransactionTemplate other =
              new TransactionTemplate(new DataSourceTransactionManager(schema.dataSource()));
          assertThatThrownBy(
                  () -> other.executeWithoutResult(status -> transactions.within(payments)))
              .isInstanceOf(TransactionStateException.class)
              .hasMessageContaining("data source");
        });
  }

  private static DataSource routingTo(DataSource one) {
    AbstractRoutingDataSource routing =
        new AbstractRoutingDataSource() {
          @Override
          protected Object determineCurrentLookupKey() {
            return "one";
          }
        };
    routing.setTargetDataSources(Map.of("one", one));
    routing.afterPropertiesSet();
    return routing;
  }

  /** What gives each caller a connection of its own is used; what gives the caller's is refused. */
  @Test
  void theTransactionOfTheCallerGoesOnWhateverIsAroundThePool() {
    DataSource pool = schema.pool(settings -> {});
    DataSource aware = new TransactionAwareDataSourceProxy(pool);
    Map<DataSource, Boolean> refused = new LinkedHashMap<>();
    refused.put(new LazyConnectionDataSourceProxy(pool), false);
    refused.put(routingTo(pool), false);
    refused.put(aware, true);
    refused.put(routingTo(aware), true);
    JdbcTemplate jdbc = new JdbcTemplate(pool);
    jdbc.execute("CREATE TABLE kept (id INT)");
    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(pool));
    refused.forEach(
        (around, refuses) -> {
          jdbc.update("DELETE FROM kept");
          transaction.executeWithoutResult(
              status -> {
                jdbc.update("INSERT INTO kept VALUES (1)");
                if (refuses) {
                  assertThatThrownBy(() -> SlotBloom.on(around).list())
                      .isInstanceOf(TransactionStateException.class);
                } else {
                  try (SlotBloom bloom = SlotBloom.on(around)) {
                    assertThat(bloom.names()).isNotNull();
                    assertThat(bloom.databaseTime()).isNotNull();
                  }
                }
              });
          assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM kept", Integer.class)).isEqualTo(1);
        });
  }

  @Test
  void aTransactionInBetweenHasAddsOfItsOwn() {
    application.run(
        context -> {
          SpringTransactions transactions = context.getBean(SpringTransactions.class);
          BloomFilter<String> payments = Application.text(context, "payments");
          BloomFilter<String> refunds = Application.text(context, "refunds");
          TransactionTemplate inner = transaction(context);
          inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
          transaction(context)
              .executeWithoutResult(
                  outer -> {
                    TransactionalWrites<String> ofOuter = transactions.within(refunds);
                    inner.executeWithoutResult(
                        status -> {
                          assertThat(transactions.within(refunds)).isNotSameAs(ofOuter);
                          assertThat(transactions.within(payments).add("inner")).isTrue();
                        });
                    assertThat(transactions.within(refunds)).isSameAs(ofOuter);
                    assertThat(ofOuter.add("outer")).isTrue();
                    outer.setRollbackOnly();
                  });
          assertThat(payments.mightContain("inner")).isTrue();
          assertThat(refunds.mightContain("outer")).isFalse();
        });
  }

  @Test
  void aServiceThatAsksForFiguresInItsTransactionKeepsItsRows() {
    application
        .withBean(
            "aware",
            BeanPostProcessor.class,
            () ->
                new BeanPostProcessor() {
                  @Override
                  public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof HikariDataSource pool
                        ? new TransactionAwareDataSourceProxy(pool)
                        : bean;
                  }
                })
        .run(
            context -> {
              JdbcTemplate sql = new JdbcTemplate(context.getBean(DataSource.class));
              sql.execute("CREATE TABLE orders (id INT PRIMARY KEY)");
              SlotBloom bloom = context.getBean(SlotBloom.class);
              String filter = Application.text(context, "payments").name();
              transaction(context)
                  .executeWithoutResult(
                      status -> {
                        sql.update("INSERT INTO orders VALUES (1)");
                        bloom.info(filter);
                        bloom.databaseTime();
                        sql.update("INSERT INTO orders VALUES (2)");
                        BloomFilter<String> payments = Application.text(context, "payments");
                        assertThat(
                                context.getBean(SpringTransactions.class).within(payments).add("a"))
                            .isTrue();
                      });
              assertThat(sql.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                  .isEqualTo(2);
            });
  }
}
