package io.github.slotbloom.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.store.JdbcChannelMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A consumer of Spring Integration that is killed books each message once, though each was sent
 * twice.
 */
@DatabaseContract(migrated = true)
@Timeout(900)
class KilledConsumerIT {

  private static final int MESSAGES = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final TestSchema schema;

  @TempDir private Path directory;

  KilledConsumerIT(TestSchema schema) {
    this.schema = schema;
  }

  @Test
  void eachMessageHasOneEffect() throws Exception {
    killAt(Consumer.Step.BOOKED, Consumer.Step.COMMITTED);
  }

  @Test
  @Tag("long")
  void eachMessageHasOneEffectWhateverTheStep() throws Exception {
    killAt(Consumer.Step.values());
  }

  private void killAt(Consumer.Step... steps) throws Exception {
    JdbcTemplate jdbc = new JdbcTemplate(schema.pool());
    new ResourceDatabasePopulator(
            new ClassPathResource("org/springframework/integration/jdbc/schema-mysql.sql"))
        .execute(schema.pool());
    jdbc.execute("CREATE TABLE booked (id VARCHAR(40))");
    JdbcChannelMessageStore store = Consumer.store(schema.pool());
    store.afterPropertiesSet();
    List<String> ids = IntStream.range(0, MESSAGES).mapToObj(i -> "message " + i).toList();
    for (String id : ids) {
      for (int sent = 0; sent < 2; sent++) {
        store.addMessageToGroup(Consumer.QUEUE, MessageBuilder.withPayload(id).build());
      }
    }

    for (Consumer.Step step : steps) {
      assertThat(consume(step.name())).as(step.name()).isEqualTo(Consumer.DEAD);
      assertThat(store.messageGroupSize(Consumer.QUEUE)).isPositive();
    }
    assertThat(consume()).isZero();

    assertThat(jdbc.queryForList("SELECT id FROM booked", String.class))
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  /** Runs a process to its end, and returns its exit code. */
  private int consume(String... arguments) throws Exception {
    Map<String, String> settings =
        Map.of(
            "SPRING_DATASOURCE_URL",
            schema.url(),
            "SPRING_DATASOURCE_USERNAME",
            schema.owner().user(),
            "SPRING_DATASOURCE_PASSWORD",
            schema.owner().password(),
            "SPRING_MAIN_BANNERMODE",
            "off",
            "SPRING_FLYWAY_ENABLED",
            "false",
            "SLOTBLOOM_FILTERS_MESSAGES_CAPACITY",
            "1000",
            "SLOTBLOOM_FILTERS_MESSAGES_FALSEPOSITIVERATE",
            "1e-9");
    try (JavaProcess consumer =
        JavaProcess.start(
            Consumer.class,
            directory.resolve("consumer.log"),
            settings,
            new ArrayList<>(List.of(arguments)))) {
      await().atMost(PATIENCE).until(() -> !consumer.isAlive());
      assertThat(consumer.exitValue()).as(consumer.log()).isIn(0, Consumer.DEAD);
      return consumer.exitValue();
    }
  }
}
