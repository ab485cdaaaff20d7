package io.github.slotbloom.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands whose answers nobody recorded. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class CommandsIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final String name = FilterNames.newName();
  private RedisServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.builder(bloom).port(0).allowFlush().start();
    client = new RawClient(server.address());
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  @Test
  void expiryHasTheConditionsOfRedis() throws IOException {
    client.ask("BF.ADD", name, "a");
    assertThat(client.ask("EXPIRE", name, "100", "XX")).isEqualTo(":0\r\n");
    assertThat(client.ask("EXPIRE", name, "100", "GT")).isEqualTo(":0\r\n");
    assertThat(client.ask("EXPIRE", name, "100", "NX")).isEqualTo(":1\r\n");
    assertThat(client.ask("EXPIRE", name, "200", "nx")).isEqualTo(":0\r\n");
    assertThat(client.ask("PEXPIRE", name, "50000", "GT")).isEqualTo(":0\r\n");
    assertThat(client.ask("PEXPIRE", name, "150000", "GT")).isEqualTo(":1\r\n");
    assertThat(client.ask("PEXPIRE", name, "120000", "LT")).isEqualTo(":1\r\n");
    assertThat(client.ask("EXPIRE", name, "1", "OFTEN"))
        .isEqualTo("-ERR Unsupported option OFTEN\r\n");
    assertThat(Long.parseLong(client.ask("PTTL", name).substring(1).strip()))
        .isBetween(60_000L, 120_000L);
    assertThat(client.ask("EXPIREAT", name, "4102444800")).isEqualTo(":1\r\n");
    assertThat(client.ask("EXPIRETIME", name)).isEqualTo(":4102444800\r\n");
    assertThat(client.ask("EXPIRE", name, "9223372036854775807"))
        .isEqualTo("-ERR invalid expire time in 'expire' command\r\n");
    assertThat(client.ask("BF.EXISTS", name, "a")).isEqualTo(":1\r\n");
    assertThat(client.ask("PEXPIREAT", name, "1")).isEqualTo(":1\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).as("of a new filter").isEqualTo(":1\r\n");
    assertThat(client.ask("TTL", name)).isEqualTo(":-1\r\n");
  }

  @Test
  void aRenameDeletesNothing() throws IOException {
    client.ask("BF.ADD", name, "a");
    client.ask("BF.ADD", name + "_2", "b");
    assertThat(client.ask("RENAME", name, name + "_2"))
        .startsWith("-ERR a filter has the new name");
    assertThat(client.ask("RENAME", name, name)).isEqualTo("+OK\r\n");
    assertThat(client.ask("RENAMENX", name, name)).isEqualTo(":0\r\n");
    assertThat(client.ask("BF.EXISTS", name + "_2", "b")).isEqualTo(":1\r\n");
  }

  @Test
  void aFlushThatIsAllowedDropsAll() throws IOException {
    client.ask("BF.ADD", name, "a");
    client.ask("BF.ADD", name + "_2", "a");
    assertThat(client.ask("FLUSHALL", "ASYNC")).isEqualTo("+OK\r\n");
    assertThat(client.ask("DBSIZE")).isEqualTo(":0\r\n");
  }

  @Test
  void aTransactionOfManyAddsIsCarriedOutInOrder() throws IOException {
    int keys = 500;
    // With the usual rate, one of the keys is taken for a member once in some hundred runs.
    client.ask("BF.RESERVE", name, "0.000000001", "1000");
    client.send(
        RawClient.request("MULTI")
            + IntStream.range(0, keys)
                .mapToObj(i -> RawClient.request("BF.ADD", name, "key " + i / 2))
                .collect(Collectors.joining())
            + RawClient.request("BF.CARD", name)
            + RawClient.request("EXEC"));
    assertThat(client.answer()).isEqualTo("+OK\r\n");
    for (int i = 0; i <= keys; i++) {
      assertThat(client.answer()).isEqualTo("+QUEUED\r\n");
    }
    assertThat(client.answer())
        .isEqualTo("*501\r\n" + ":1\r\n:0\r\n".repeat(keys / 2) + ":250\r\n");
  }

  @Test
  void watchIsRefusedAndHelloHasNoPlaceInATransaction() throws IOException {
    assertThat(client.ask("WATCH", name)).startsWith("-ERR WATCH is not supported");
    client.ask("MULTI");
    assertThat(client.ask("HELLO", "3"))
        .isEqualTo("-ERR Command not allowed inside a transaction\r\n");
    assertThat(client.ask("EXEC")).startsWith("-EXECABORT ");
    client.ask("MULTI");
    assertThat(client.ask("EXEC")).isEqualTo("*0\r\n");
  }

  @Test
  void anEvenLargerCommandTakesSeveralTransactions() throws IOException {
    int keys = 40_000;
    client.ask("BF.RESERVE", name, "0.0001", "100000");
    String[] words = new String[keys + 2];
    words[0] = "BF.MADD";
    words[1] = name;
    for (int i = 0; i < keys; i++) {
      words[i + 2] = "key " + i;
    }
    String answer = client.ask(words);
    assertThat(answer).startsWith("*40000\r\n:1\r\n");
    assertThat(answer.chars().filter(c -> c == '1').count()).isGreaterThan(keys - 10);
    words[0] = "BF.MEXISTS";
    assertThat(client.ask(words)).isEqualTo("*40000\r\n" + ":1\r\n".repeat(keys));
  }
}
