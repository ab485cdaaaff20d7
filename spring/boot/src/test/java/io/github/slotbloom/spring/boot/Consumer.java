package io.github.slotbloom.spring.boot;

import static org.awaitility.Awaitility.await;

import io.github.slotbloom.spring.Deduplicate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Pollers;
import org.springframework.integration.jdbc.store.JdbcChannelMessageStore;
import org.springframework.integration.jdbc.store.channel.MySqlChannelMessageStoreQueryProvider;
import org.springframework.integration.store.MessageGroupQueue;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A process that takes messages from a queue in the database, and books each once. It dies at one
 * of its steps if its argument says so, and else ends when the queue is empty.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableIntegration
@Import(Consumer.Bookings.class)
public class Consumer {

  static final String QUEUE = "inbox";
  static final int DEAD = 9;

  /** It dies when it comes to its step for this time. */
  private static final int TIMES = 3;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What it does with a message, in this order. */
  enum Step {
    RECEIVED,
    KEY_RECORDED,
    BOOKED,
    BEFORE_COMMIT,
    COMMITTED;

    private final AtomicInteger reached = new AtomicInteger();

    void reach() {
      if (name().equals(System.getProperty("dies.at")) && reached.incrementAndGet() == TIMES) {
        Runtime.getRuntime().halt(DEAD);
      }
    }
  }

  /** Does the work of a message. */
  static class Bookings {
    private final JdbcTemplate jdbc;

    Bookings(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Deduplicate(filter = "messages", key = "#id")
    void book(String id) {
      // The transaction of the poller is there already, so the key is recorded first.
      Step.KEY_RECORDED.reach();
      jdbc.update("INSERT INTO booked VALUES (?)", id);
      Step.BOOKED.reach();
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              Step.BEFORE_COMMIT.reach();
            }

            @Override
            public void afterCommit() {
              Step.COMMITTED.reach();
            }
          });
    }
  }

  static JdbcChannelMessageStore store(DataSource dataSource) {
    JdbcChannelMessageStore store = new JdbcChannelMessageStore(dataSource);
    store.setChannelMessageStoreQueryProvider(new MySqlChannelMessageStoreQueryProvider());
    return store;
  }

  @Bean
  JdbcChannelMessageStore messageStore(DataSource dataSource) {
    return store(dataSource);
  }

  @Bean
  QueueChannel inbox(JdbcChannelMessageStore store) {
    return new QueueChannel(new MessageGroupQueue(store, QUEUE));
  }

  @Bean
  IntegrationFlow flow(
      QueueChannel inbox, Bookings bookings, PlatformTransactionManager transactions) {
    return IntegrationFlow.from(inbox)
        .handle(
            String.class,
            (id, headers) -> {
              Step.RECEIVED.reach();
              bookings.book(id);
              return null;
            },
            endpoint ->
                endpoint.poller(
                    Pollers.fixedDelay(1)
                        .maxMessagesPerPoll(1)
                        .receiveTimeout(100)
                        .transactional(transactions)))
        .get();
  }

  public static void main(String[] args) {
    // The tests log otherwise.
    System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
    System.setProperty("dies.at", args.length > 0 ? args[0] : "");
    try (ConfigurableApplicationContext context = SpringApplication.run(Consumer.class)) {
      JdbcChannelMessageStore store = context.getBean(JdbcChannelMessageStore.class);
      await().atMost(PATIENCE).until(() -> store.messageGroupSize(QUEUE) == 0);
    }
  }
}
