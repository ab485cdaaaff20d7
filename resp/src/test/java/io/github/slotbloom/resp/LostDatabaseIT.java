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
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients are told while the database is away. */
@DatabaseContract(migrated = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class LostDatabaseIT {

  private static final List<String> NEW_OR_SEEN =
      List.of("*2\r\n:1\r\n:0\r\n", "*2\r\n:0\r\n:0\r\n");

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
  void clientsHearWhatIsCertainAndWhatIsNot() throws IOException {
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    network.refuse(true);
    network.cutAll();
    assertThat(client.ask("BF.ADD", name, "b"))
        .matches("-(TRYAGAIN not recorded|ERR outcome unknown, so a retry may answer 0)[.] .*\r\n");
    assertThat(client.ask("BF.EXISTS", name, "b")).startsWith("-TRYAGAIN ");
    assertThat(client.ask("PING")).startsWith("-TRYAGAIN ");
    network.heal();
    await().atMost(Duration.ofSeconds(60)).until(() -> client.ask("PING").equals("+PONG\r\n"));
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":0\r\n");
    assertThat(client.ask("BF.MADD", name, "b", "b")).isIn(NEW_OR_SEEN);
  }
}
