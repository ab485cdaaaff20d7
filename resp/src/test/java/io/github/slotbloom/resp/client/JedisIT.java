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
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.bloom.BFInsertParams;
import redis.clients.jedis.exceptions.JedisDataException;

/** Jedis, in both versions of the protocol. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class JedisIT {

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

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void jedis(RedisProtocol protocol) {
    DefaultJedisClientConfig config =
        DefaultJedisClientConfig.builder()
            .password(PASSWORD)
            .protocol(protocol)
            .timeoutMillis(60_000)
            .build();
    try (RedisClient jedis =
        RedisClient.builder()
            .hostAndPort("127.0.0.1", server.address().getPort())
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
}
