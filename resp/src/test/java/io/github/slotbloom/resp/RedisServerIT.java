package io.github.slotbloom.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server does with connections: order, bounds, passwords, and the end. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class RedisServerIT {

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom bloom;

  private final String name = FilterNames.newName();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private RedisServer start(RedisServer.Builder builder) throws IOException {
    RedisServer server = builder.port(0).start();
    opened.add(server);
    return server;
  }

  private RawClient connect(RedisServer server) throws IOException {
    RawClient client = new RawClient(server.address());
    opened.add(0, client);
    return client;
  }

  private RawClient connect() throws IOException {
    return connect(start(RedisServer.builder(bloom)));
  }

  @Test
  void answersComeInTheOrderOfTheRequestsWhateverEndsFirst() throws IOException {
    RawClient client = connect();
    client.send(
        RawClient.request("BF.ADD", name, "a")
            + RawClient.request("PING", "1")
            + RawClient.request("BF.EXISTS", name, "a")
            + RawClient.request("DEL", name)
            + RawClient.request("BF.EXISTS", name, "a")
            + RawClient.request("ECHO", "2")
            + RawClient.request("BF.MADD", name, "a", "b", "a")
            + RawClient.request("NOSUCH"));
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.answer()).isEqualTo("$1\r\n1\r\n");
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.answer()).isEqualTo(":0\r\n");
    assertThat(client.answer()).isEqualTo("$1\r\n2\r\n");
    assertThat(client.answer()).isEqualTo("*3\r\n:1\r\n:1\r\n:0\r\n");
    assertThat(client.answer()).startsWith("-ERR unknown command");
  }

  @Test
  void addsThatWaitInAPipelineShareTransactions() throws IOException {
    AtomicInteger transactions = new AtomicInteger();
    SlotBloom counted =
        instances.another(
            pool -> {},
            settings ->
                settings.listener(
                    event -> {
                      if (event instanceof SlotBloomEvent.Added) {
                        transactions.incrementAndGet();
                      }
                    }));
    RawClient client = connect(start(RedisServer.builder(counted)));
    client.ask("BF.RESERVE", name, "0.000001", "10000");
    client.send(
        IntStream.range(0, 1000)
            .mapToObj(i -> RawClient.request("BF.ADD", name, "key " + i))
            .collect(Collectors.joining()));
    for (int i = 0; i < 1000; i++) {
      assertThat(client.answer()).isEqualTo(":1\r\n");
    }
    assertThat(transactions.get()).isLessThan(100);
  }

  @Test
  void ofManyClientsOneHearsThatAKeyIsNew() throws Exception {
    RedisServer server = start(RedisServer.builder(bloom));
    RedisServer other = start(RedisServer.builder(instances.another()));
    AtomicInteger fresh = new AtomicInteger();
    int keys = 200;
    Crowd.of(
            16,
            number -> {
              try (RawClient client = new RawClient((number % 2 == 0 ? server : other).address())) {
                StringBuilder pipe = new StringBuilder();
                for (int i = 0; i < keys; i++) {
                  pipe.append(RawClient.request("BF.ADD", name, "key " + i));
                }
                client.send(pipe.toString());
                for (int i = 0; i < keys; i++) {
                  String answer = client.answer();
                  assertThat(answer).isIn(":0\r\n", ":1\r\n");
                  fresh.addAndGet(answer.charAt(1) - '0');
                }
              }
            })
        .join(Duration.ofSeconds(120));
    assertThat(fresh.get()).isBetween(keys - 2, keys);
    assertThat(connect(server).ask("BF.CARD", name)).isEqualTo(":" + fresh.get() + "\r\n");
  }

  @Test
  void javaProgramsShareTheFilter() throws IOException {
    RawClient client = connect();
    assertThat(client.ask("BF.ADD", name, "https://example.org/")).isEqualTo(":1\r\n");
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      assertThat(filter.mightContain("https://example.org/")).isTrue();
      assertThat(filter.add("é")).isTrue();
    }
    assertThat(client.ask("BF.EXISTS", name, "é")).isEqualTo(":1\r\n");
  }

  @Test
  void aFilterThatIsReplacedByAnotherOneIsReopened() throws IOException {
    RawClient client = connect();
    client.ask("BF.ADD", name, "a");
    SlotBloom elsewhere = instances.another();
    elsewhere.admin(name).drop();
    elsewhere.reserve(name, FilterSpec.builder(KeyType.bytes()).capacity(10).build()).close();
    assertThat(client.ask("BF.EXISTS", name, "a")).isEqualTo(":0\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    elsewhere.admin(name).rename(name + "_2");
    assertThat(client.ask("BF.INSERT", name, "NOCREATE", "ITEMS", "a"))
        .isEqualTo("-ERR not found\r\n");
    assertThat(client.ask("BF.EXISTS", name + "_2", "a")).isEqualTo(":1\r\n");
  }

  @Test
  void keysOfAnotherTypeAndNamesThatAreNoneAreErrorsThatSayWhy() throws IOException {
    bloom.reserve(name, FilterSpec.builder(KeyType.longs()).capacity(10).build()).close();
    RawClient client = connect();
    assertThat(client.ask("BF.ADD", name, "1"))
        .startsWith("-ERR Filter " + name + " has keys of the type long");
    assertThat(client.ask("BF.ADD", "a\nb", "1")).startsWith("-ERR ").contains("name");
    client.send("*3\r\n$6\r\nBF.ADD\r\n$1\r\n\u00ff\r\n$1\r\na\r\n");
    assertThat(client.answer()).contains("not valid UTF-8");
  }

  @Test
  void aClientThatSendsAndNeverReadsIsNotBuffered() throws IOException {
    RedisServer server = start(RedisServer.builder(bloom));
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSendBufferSize(65_536);
      socket.setReceiveBufferSize(65_536);
      RawClient client = new RawClient(socket);
      int requests = 200_000;
      String word = "x".repeat(1000);
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < requests; i++) {
                    client.send(RawClient.request("ECHO", word));
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      // It stops being read, long before all of its 200 MB are there.
      AtomicInteger same = new AtomicInteger();
      long[] before = {0};
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                long now = server.counts().commands();
                same.set(now == before[0] && now > 0 ? same.get() + 1 : 0);
                before[0] = now;
                return same.get() > 10;
              });
      assertThat(server.counts().commands()).isLessThan(requests / 2);
      assertThat(sent).isNotDone();
      for (int i = 0; i < requests; i++) {
        assertThat(client.answer()).hasSize(1009);
      }
      sent.join();
    }
  }

  @Test
  void withoutThePasswordLittleIsAllowed() throws IOException {
    RedisServer server = start(RedisServer.builder(bloom).password("secret"));
    RawClient client = connect(server);
    String refused = "-NOAUTH Authentication required.\r\n";
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(refused);
    assertThat(client.ask("NOSUCH")).isEqualTo(refused);
    assertThat(client.ask("HELLO", "3")).startsWith("-NOAUTH HELLO must be called with");
    assertThat(client.ask("AUTH", "wrong")).startsWith("-WRONGPASS ");
    assertThat(client.ask("AUTH", "nobody", "secret")).startsWith("-WRONGPASS ");
    assertThat(client.ask("AUTH", "secret")).isEqualTo("+OK\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    assertThat(client.ask("RESET")).isEqualTo("+RESET\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(refused);
    assertThat(client.ask("HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"))
        .startsWith("%7\r\n");
    assertThat(client.ask("CLIENT", "GETNAME")).isEqualTo("$2\r\nme\r\n");

    RawClient large = connect(server);
    large.send("*11\r\n");
    assertThat(large.answer())
        .isEqualTo("-ERR Protocol error: unauthenticated multibulk length\r\n");
    assertThat(large.isClosed()).isTrue();
  }

  @Test
  void afterThePasswordALargeRequestMayFollowAtOnce() throws IOException {
    RawClient client = connect(start(RedisServer.builder(bloom).password("secret")));
    String[] many = new String[1002];
    many[0] = "BF.MADD";
    many[1] = name;
    for (int i = 2; i < many.length; i++) {
      many[i] = "key " + i;
    }
    client.send(RawClient.request("AUTH", "secret") + RawClient.request(many));
    assertThat(client.answer()).isEqualTo("+OK\r\n");
    assertThat(client.answer()).startsWith("*1000\r\n:1\r\n");
  }

  @Test
  void whatOthersCanReachNeedsAPassword() throws IOException {
    assertThatThrownBy(() -> start(RedisServer.builder(bloom).host("0.0.0.0")))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("password");
    RedisServer open = start(RedisServer.builder(bloom).host("0.0.0.0").password("secret"));
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), open.address().getPort());
    try (RawClient client = new RawClient(socket)) {
      assertThat(client.ask("AUTH", "secret")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void oneClientTooManyIsToldSo() throws IOException {
    RedisServer server = start(RedisServer.builder(bloom).maxClients(2));
    RawClient first = connect(server);
    first.ask("PING");
    RawClient second = connect(server);
    second.ask("PING");
    RawClient third = connect(server);
    assertThat(third.answer()).isEqualTo("-ERR max number of clients reached\r\n");
    assertThat(third.isClosed()).isTrue();
    second.close();
    await().until(() -> server.counts().clients() == 1);
    assertThat(connect(server).ask("PING")).isEqualTo("+PONG\r\n");
  }

  @Test
  void aSilentClientIsGone() throws IOException {
    RawClient client =
        connect(start(RedisServer.builder(bloom).idleTimeout(Duration.ofMillis(300))));
    assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void whatIsNoRequestEndsTheConnectionAfterTheAnswersBefore() throws IOException {
    RawClient client = connect();
    client.send(RawClient.request("BF.ADD", name, "a") + "*1\r\n!");
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.answer()).isEqualTo("-ERR Protocol error: expected '$', got '!'\r\n");
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void quitAnswersAndEnds() throws IOException {
    RawClient client = connect();
    client.send(RawClient.request("QUIT") + RawClient.request("PING"));
    assertThat(client.answer()).isEqualTo("+OK\r\n");
    assertThat(client.isClosed()).isTrue();
  }

  @Test
  void untilTheDatabaseIsThereClientsHearThatItLoads() throws IOException {
    CompletableFuture<SlotBloom> later = new CompletableFuture<>();
    RawClient client = connect(start(RedisServer.builder(later)));
    assertThat(client.ask("HELLO", "2")).startsWith("*14\r\n");
    assertThat(client.ask("PING")).startsWith("-LOADING ");
    assertThat(client.ask("BF.ADD", name, "a")).startsWith("-LOADING ");
    assertThat(client.ask("BF.INFO", name)).startsWith("-LOADING ");
    assertThat(client.ask("INFO", "persistence")).contains("loading:1");
    later.complete(bloom);
    assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
    assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
    assertThat(client.ask("INFO")).contains("loading:0");
  }

  @Test
  void aReaderIsToldThatItCannotWrite() throws Exception {
    bloom.reserve(name, FilterSpec.builder(KeyType.text()).capacity(10).build()).close();
    TestAccount reader = schema.createAccount("SELECT");
    try (HikariDataSource pool = schema.pool(reader, config -> config.setMaximumPoolSize(4));
        SlotBloom reading = SlotBloom.on(pool)) {
      RedisServer server = start(RedisServer.builder(reading).timeout(Duration.ofSeconds(5)));
      RawClient client = connect(server);
      assertThat(client.ask("BF.EXISTS", name, "a")).isEqualTo(":0\r\n");
      assertThat(client.ask("BF.ADD", name, "a")).startsWith("-READONLY ");
      assertThat(client.ask("BF.RESERVE", name + "_2", "0.01", "10")).startsWith("-READONLY ");
      client.close();
      server.close();
    }
  }

  @Test
  void closingAnswersWhatHasCome() throws Exception {
    RedisServer server = start(RedisServer.builder(bloom));
    RawClient client = connect(server);
    client.ask("BF.ADD", name, "a");
    client.send(RawClient.request("DEL", name) + RawClient.request("BF.ADD", name, "a"));
    await().until(() -> server.counts().commands() >= 1);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.answer()).isEqualTo(":1\r\n");
    assertThat(client.isClosed()).isTrue();
    closed.get();
  }

  @Test
  void clientsThatComeAndGoLeaveNothing() throws Exception {
    RedisServer server = start(RedisServer.builder(bloom));
    Crowd.of(
            20,
            number -> {
              for (int i = 0; i < 50; i++) {
                try (RawClient client = new RawClient(server.address())) {
                  client.send(
                      RawClient.request("BF.ADD", name, number + " " + i)
                          + RawClient.request("BF.EXISTS", name, number + " " + i));
                  if (i % 2 == 0) {
                    assertThat(client.answer()).isIn(":0\r\n", ":1\r\n");
                    assertThat(client.answer()).isEqualTo(":1\r\n");
                  }
                }
              }
            })
        .join(Duration.ofSeconds(120));
    // A client may be gone before the server has accepted it.
    await().atMost(Duration.ofSeconds(60)).until(() -> server.counts().connections() == 1000);
    await().atMost(Duration.ofSeconds(60)).until(() -> server.counts().clients() == 0);
    assertThat(connect(server).ask("BF.EXISTS", name, "0 0")).isEqualTo(":1\r\n");
  }

  @Test
  void flushNeedsToBeAllowed() throws IOException {
    RawClient client = connect();
    assertThat(client.ask("FLUSHDB")).startsWith("-ERR ").contains("--allow-flush");
  }

  @Test
  void numbersOfBothInfosAreAsPromised() throws IOException {
    RawClient client = connect();
    client.ask("BF.RESERVE", name, "0.01", "1000");
    assertThat(client.ask("BF.INFO", name))
        .startsWith("*10\r\n+Capacity\r\n:1000\r\n+Size\r\n:")
        .endsWith("+Number of items inserted\r\n:0\r\n+Expansion rate\r\n:2\r\n");
    client.ask("CF.ADDNX", name + "_cf", "a");
    client.ask("CF.DEL", name + "_cf", "a");
    assertThat(client.ask("CF.INFO", name + "_cf"))
        .startsWith("*16\r\n+Size\r\n:")
        .contains("+Number of items deleted\r\n:1\r\n");
    assertThat(client.ask("CF.ADD", name + "_cf", "a")).contains("CF.ADDNX");
    assertThat(client.ask("BF.SCANDUMP", name, "0")).contains("slotbloom export");
    assertThat(client.ask("SCAN", "0", "MATCH", name + "*", "TYPE", "MBbloomCF"))
        .isEqualTo(
            "*2\r\n$1\r\n0\r\n*1\r\n$" + (name + "_cf").length() + "\r\n" + name + "_cf\r\n");
    assertThat(client.ask("INFO", "slotbloom"))
        .matches(
            "(?s)[$][0-9]+\r\n# Slotbloom\r\nslotbloom_clients:1\r\nslotbloom_commands:8\r\n"
                + "slotbloom_errors:2\r\nslotbloom_open_filters:1\r\nslotbloom_seconds:[0-9.]+\r\n\r\n");
    assertThat(client.ask("COMMAND", "COUNT")).matches(":[0-9]+\r\n");
    assertThat(client.ask("COMMAND", "INFO", "bf.add", "nosuch"))
        .isEqualTo("*2\r\n*6\r\n$6\r\nbf.add\r\n:3\r\n*1\r\n+write\r\n:1\r\n:1\r\n:1\r\n$-1\r\n");
  }
}
