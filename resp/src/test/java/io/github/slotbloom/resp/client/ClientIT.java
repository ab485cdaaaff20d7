package io.github.slotbloom.resp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.resp.RedisServer;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.BooleanOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilterNative;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;
import org.redisson.config.Protocol;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.bloom.BFInsertParams;
import redis.clients.jedis.exceptions.JedisDataException;

/** Clients that people use reserve, add, ask and get errors, as they do of Redis. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class ClientIT {

  private static final String PASSWORD = "secret";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final String name = FilterNames.newName();
  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.builder(bloom).port(0).password(PASSWORD).start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int port() {
    return server.address().getPort();
  }

  /** A command that Lettuce has no method for. */
  private record Keyword(String text) implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private CommandArgs<String, String> arguments(String... words) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
    List.of(words).forEach(arguments::add);
    return arguments;
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void jedis(RedisProtocol protocol) {
    DefaultJedisClientConfig config =
        DefaultJedisClientConfig.builder()
            .password(PASSWORD)
            .protocol(protocol)
            .timeoutMillis(60_000)
            .build();
    try (redis.clients.jedis.RedisClient jedis =
        redis.clients.jedis.RedisClient.builder()
            .hostAndPort("127.0.0.1", port())
            .clientConfig(config)
            .build()) {
      assertThat(jedis.bfReserve(name, 0.001, 1000)).isEqualTo("OK");
      assertThatThrownBy(() -> jedis.bfReserve(name, 0.001, 1000))
          .isInstanceOf(JedisDataException.class)
          .hasMessage("ERR item exists");
      assertThat(jedis.bfAdd(name, "a")).isTrue();
      assertThat(jedis.bfAdd(name, "a")).isFalse();
      assertThat(jedis.bfMAdd(name, "a", "b")).containsExactly(false, true);
      assertThat(jedis.bfInsert(name, BFInsertParams.insertParams().noCreate(), "c"))
          .containsExactly(true);
      assertThat(jedis.bfExists(name, "a")).isTrue();
      assertThat(jedis.bfMExists(name, "a", "x")).containsExactly(true, false);
      assertThat(jedis.bfInfo(name)).containsEntry("Number of items inserted", 3L);
      assertThat(jedis.bfCard(name)).isEqualTo(3);
      assertThat(jedis.cfReserve(name + "_cf", 1000)).isEqualTo("OK");
      assertThat(jedis.cfAddNx(name + "_cf", "a")).isTrue();
      assertThat(jedis.cfExists(name + "_cf", "a")).isTrue();
      assertThat(jedis.cfDel(name + "_cf", "a")).isTrue();
      assertThat(jedis.cfCount(name + "_cf", "a")).isZero();
      assertThatThrownBy(() -> jedis.bfAdd(name + "_cf", "a")).hasMessageStartingWith("WRONGTYPE");
      try (Pipeline pipeline = jedis.pipelined()) {
        List<Response<Boolean>> answers =
            IntStream.range(0, 100).mapToObj(i -> pipeline.bfAdd(name, "key " + i)).toList();
        pipeline.sync();
        assertThat(answers).allMatch(Response::get);
      }
      assertThat(jedis.expire(name, 100)).isEqualTo(1);
      assertThat(jedis.ttl(name)).isBetween(90L, 100L);
      assertThat(jedis.exists(name)).isTrue();
      assertThat(jedis.del(name)).isEqualTo(1);
      assertThat(jedis.exists(name)).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void lettuce(ProtocolVersion version) throws Exception {
    RedisURI uri =
        RedisURI.builder()
            .withHost("127.0.0.1")
            .withPort(port())
            .withPassword(PASSWORD.toCharArray())
            .withClientName("me")
            .build();
    RedisClient client = RedisClient.create(uri);
    client.setOptions(ClientOptions.builder().protocolVersion(version).build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      assertThat(connection.sync().ping()).isEqualTo("PONG");
      assertThat(connection.sync().clientGetname()).isEqualTo("me");
      StatusOutput<String, String> status = new StatusOutput<>(StringCodec.UTF8);
      assertThat(
              connection
                  .sync()
                  .dispatch(new Keyword("BF.RESERVE"), status, arguments(name, "0.001", "1000")))
          .isEqualTo("OK");
      List<RedisFuture<Boolean>> added = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        added.add(
            connection
                .async()
                .dispatch(
                    new Keyword("BF.ADD"),
                    new BooleanOutput<>(StringCodec.UTF8),
                    arguments(name, "key " + i)));
      }
      for (RedisFuture<Boolean> each : added) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThatThrownBy(
              () ->
                  connection
                      .sync()
                      .dispatch(
                          new Keyword("BF.RESERVE"),
                          new StatusOutput<>(StringCodec.UTF8),
                          arguments(name, "2", "1000")))
          .isInstanceOf(RedisCommandExecutionException.class)
          .hasMessageContaining("error rate must be in the range");
      if (version == ProtocolVersion.RESP2) {
        // Lettuce cannot read a boolean within EXEC.
        connection.sync().multi();
        connection
            .sync()
            .dispatch(
                new Keyword("BF.ADD"),
                new BooleanOutput<>(StringCodec.UTF8),
                arguments(name, "key 1"));
        assertThat(connection.sync().exec().<Boolean>get(0)).isFalse();
      }
      assertThat(connection.sync().ttl(name)).isEqualTo(-1);
      assertThat(connection.sync().scan().getKeys()).contains(name);
    } finally {
      client.shutdown(0, 2, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void redisson(Protocol protocol) {
    Config config = new Config().setProtocol(protocol).setPassword(PASSWORD);
    config
        .useSingleServer()
        .setAddress("redis://127.0.0.1:" + port())
        .setClientName("me")
        .setTimeout(60_000);
    RedissonClient redisson = Redisson.create(config);
    try {
      RBloomFilterNative<String> filter = redisson.getBloomFilterNative(name);
      filter.init(0.001, 1000);
      assertThatThrownBy(() -> filter.init(0.001, 1000))
          .isInstanceOf(RedisException.class)
          .hasMessageContaining("item exists");
      assertThat(filter.add("a")).isTrue();
      assertThat(filter.add("a")).isFalse();
      assertThat(filter.add(List.of("a", "b"))).containsExactly("b");
      assertThat(filter.exists("b")).isTrue();
      assertThat(filter.exists(List.of("a", "x"))).containsExactly("a");
      assertThat(filter.count()).isEqualTo(2);
      assertThat(filter.getInfo().getCapacity()).isEqualTo(1000);
      assertThatThrownBy(() -> filter.expire(Duration.ofSeconds(100)))
          .isInstanceOf(RedisException.class)
          .hasMessageContaining("no scripts");
      assertThat(filter.remainTimeToLive()).isEqualTo(-1);
      assertThat(filter.delete()).isTrue();
      assertThat(filter.isExists()).isFalse();
    } finally {
      redisson.shutdown();
    }
  }

  private String run(String input, String... command) throws IOException, InterruptedException {
    return Programs.run(
        Map.of("REDISCLI_AUTH", PASSWORD, "PORT", "" + port(), "NAME", name), input, command);
  }

  @Test
  void redisCli() throws Exception {
    Programs.assumeRuns("redis-cli", "--version");
    String typed =
        """
        BF.RESERVE NAME 0.001 1000000
        BF.ADD NAME "user:12345"
        BF.MADD NAME "user:12346" "user:12347" "user:12348"
        BF.EXISTS NAME "user:12345"
        BF.EXISTS NAME "user:99999"
        BF.MEXISTS NAME "user:12345" "user:99999"
        BF.RESERVE NAME 0.001 1
        """
            .replace("NAME", name);
    for (String version : List.of("-2", "-3")) {
      assertThat(
              run(typed, "redis-cli", version, "-p", "" + port())
                  .replace("(true)", "1")
                  .replace("(false)", "0"))
          .as(version)
          .isEqualTo("OK\n1\n1\n1\n1\n1\n0\n1\n0\nERR item exists\n\n");
      assertThat(run("DEL " + name, "redis-cli", "-p", "" + port())).isEqualTo("1\n");
    }
  }

  @Test
  void python() throws Exception {
    Programs.assumeRuns("/usr/bin/python3", "-c", "import redis");
    String program =
        """
        import os, redis
        r = redis.Redis(port=int(os.environ["PORT"]), password=os.environ["REDISCLI_AUTH"])
        name = os.environ["NAME"]
        bf = r.bf()
        print(bf.create(name, 0.001, 1000), bf.add(name, "a"), bf.add(name, "a"))
        print(bf.madd(name, "a", "b"), bf.exists(name, "b"), bf.mexists(name, "a", "x"))
        print(bf.insert(name, ["c", "c"]), bf.info(name).insertedNum)
        p = r.pipeline()
        for i in range(100): p.execute_command("BF.ADD", name, "key %d" % i)
        print(sum(p.execute()))
        try: bf.create(name, 0.001, 1000)
        except redis.ResponseError as e: print(e)
        print(r.exists(name), r.delete(name), r.exists(name))
        """;
    assertThat(run(program, "/usr/bin/python3"))
        .isEqualTo(
            """
            True 1 0
            [0, 1] 1 [1, 0]
            [1, 0] 3
            100
            item exists
            1 1 0
            """);
  }

  @Test
  void nodeRedis() throws Exception {
    Programs.assumeRuns("node", "--eval", "require('redis')");
    String program =
        """
        const { createClient } = require('redis');
        (async () => {
          const { REDISCLI_AUTH, PORT, NAME: name } = process.env;
          const url = `redis://:${REDISCLI_AUTH}@127.0.0.1:${PORT}`;
          const client = await createClient({ url }).connect();
          const bf = client.bf;
          console.log(await bf.reserve(name, 0.001, 1000), await bf.add(name, 'a'), await bf.add(name, 'a'));
          console.log(await bf.mAdd(name, ['a', 'b']), await bf.exists(name, 'b'), await bf.mExists(name, ['a', 'x']));
          console.log((await bf.info(name))['Number of items inserted'], await bf.card(name));
          const keys = [...Array(100).keys()].map(i => `key ${i}`);
          const added = await Promise.all(keys.map(key => bf.add(name, key)));
          console.log(added.filter(fresh => fresh).length);
          await bf.reserve(name, 0.001, 1000).catch(e => console.log(e.message));
          console.log(await client.exists(name), await client.del(name), await client.exists(name));
          await client.close();
        })();
        """;
    assertThat(run(program, "node", "-"))
        .isEqualTo(
            """
            OK true false
            [ false, true ] true [ true, false ]
            2 2
            100
            ERR item exists
            1 1 0
            """);
  }

  @Test
  void ioredis() throws Exception {
    Programs.assumeRuns("node", "--eval", "require('ioredis')");
    String program =
        """
        const Redis = require('ioredis');
        (async () => {
          const { REDISCLI_AUTH, PORT, NAME: name } = process.env;
          const redis = new Redis({ port: Number(PORT), password: REDISCLI_AUTH });
          console.log(await redis.call('BF.RESERVE', name, 0.001, 1000), await redis.call('BF.ADD', name, 'a'));
          console.log(await redis.call('BF.MADD', name, 'a', 'b'), await redis.call('BF.EXISTS', name, 'x'));
          const pipeline = redis.pipeline();
          for (let i = 0; i < 100; i++) pipeline.call('BF.ADD', name, `key ${i}`);
          console.log((await pipeline.exec()).filter(([error, fresh]) => !error && fresh === 1).length);
          await redis.call('BF.RESERVE', name, 0.001, 1000).catch(e => console.log(e.message));
          console.log(await redis.exists(name), await redis.del(name), await redis.exists(name));
          await redis.quit();
        })();
        """;
    assertThat(run(program, "node", "-"))
        .isEqualTo(
            """
            OK 1
            [ 0, 1 ] 0
            100
            ERR item exists
            1 1 0
            """);
  }
}
