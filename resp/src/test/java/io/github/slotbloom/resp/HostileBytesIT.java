package io.github.slotbloom.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever strangers send, they harm nobody else, and nothing of them stays. */
@DatabaseContract(migrated = true, onOne = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class HostileBytesIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  @Test
  void strangersHarmNobody() throws IOException {
    send(1, stranger -> stranger < 300);
  }

  @Test
  @Tag("long")
  void strangersHarmNobodyForAMinute() throws IOException {
    long seed = System.nanoTime();
    System.out.println("HostileBytesIT: seed " + seed);
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    send(seed, stranger -> System.nanoTime() < end);
  }

  private static void send(long seed, IntPredicate more) throws IOException {
    Random random = new Random(seed);
    String name = FilterNames.newName();
    try (RedisServer server = RedisServer.builder(bloom).port(0).start();
        RawClient client = new RawClient(server.address())) {
      assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":1\r\n");
      Set<Thread> before = networkThreads();
      for (int stranger = 0; more.test(stranger); stranger++) {
        try (RawClient one = new RawClient(server.address())) {
          one.send(HostileBytes.next(random));
        }
        assertThat(client.ask("ECHO", "still here")).isEqualTo("$10\r\nstill here\r\n");
      }
      await().until(() -> server.counts().clients() == 1);
      assertThat(networkThreads()).isEqualTo(before).isNotEmpty();
      assertThat(client.ask("BF.ADD", name, "a")).isEqualTo(":0\r\n");
      assertThat(client.ask("BF.ADD", name, "b")).isEqualTo(":1\r\n");
    }
  }

  private static Set<Thread> networkThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("slotbloom-network"))
        .collect(Collectors.toSet());
  }
}
