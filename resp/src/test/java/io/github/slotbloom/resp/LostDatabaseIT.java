package io.github.slotbloom.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FaultyNetwork;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients are told while the database is away. */
@DatabaseContract(migrated = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class LostDatabaseIT {

  @Fixture private static TestSchema schema;

  private final String name = FilterNames.newName();
  private FaultyNetwork network;
  private HikariDataSource pool;
  private SlotBloom bloom;
  private RedisServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    network = new FaultyNetwork(schema.database().address());
    pool =
        schema.pool(
            network,
            config -> {
              config.setMaximumPoolSize(4);
              config.setConnectionTimeout(500);
            });
    bloom = SlotBloom.on(pool);
    server = RedisServer.builder(bloom).port(0).timeout(Duration.ofSeconds(2)).start();
    client = new RawClient(server.address());
  }

  @AfterEach
  void close() throws IOException {
    network.heal();
    client.close();
    server.close();
    bloom.close();
    pool.close();
    network.close();
  }

  @Test
  void whatIsNotRecordedOrAnsweredMayBeTriedAgain() throws IOException {
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    network.refuse(true);
    network.cutAll();
    // Not on a connection that was cut unnoticed: what was sent there might have arrived.
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(client.ask("BF.ADD", name, "b")).startsWith("-TRYAGAIN not recorded."));
    assertThat(client.ask("BF.EXISTS", name, "b")).startsWith("-TRYAGAIN ");
    assertThat(client.ask("PING")).startsWith("-TRYAGAIN ");
    network.heal();
    await().atMost(Duration.ofSeconds(60)).until(() -> client.ask("PING").equals("+PONG\r\n"));
    assertThat(client.ask("BF.ADD", name, "b")).isEqualTo(":1\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":0\r\n");
  }

  @Test
  void anOutcomeThatNobodyKnowsIsToldSo() throws Exception {
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    Trap commit =
        network.trapAfter("^insert into `bloom_journal`", Trap.Place.BEFORE_CLIENT, "^COMMIT");
    client.send(RawClient.request("BF.ADD", name, "b"));
    commit.caught().get(60, TimeUnit.SECONDS);
    network.refuse(true);
    network.cutAll();
    commit.cut();
    assertThat(client.answer()).startsWith("-ERR outcome unknown, so a retry may answer 0.");
    network.heal();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> client.ask("BF.EXISTS", name, "b").equals(":1\r\n"));
    assertThat(client.ask("BF.ADD", name, "b")).isEqualTo(":0\r\n");
  }
}
