package io.github.slotbloom.resp;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The database is killed and started again while clients of two servers add the same keys. No key
 * is new twice, and none that was answered is missing.
 */
@Tag("servers")
@DatabaseContract
@Timeout(600)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class KilledDatabaseIT {

  private static final int KILLS = 4;
  private static final int CLIENTS = 8;
  private static final int MOST_PIPED = 20;

  /** So many keys are fought over at a time. */
  private static final int CONTESTED = 40;

  private static final int ANSWERS_BETWEEN = 500;
  private static final String NAME = "contested";

  /** What a client heard of a key. */
  private enum Heard {
    NEW,
    SEEN,
    NOT_RECORDED,
    UNKNOWN
  }

  private record Answer(int key, Heard heard) {
    boolean isCertain() {
      return heard == Heard.NEW || heard == Heard.SEEN;
    }
  }

  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger certain = new AtomicInteger();
  private final AtomicInteger others = new AtomicInteger();
  private final AtomicInteger newest = new AtomicInteger(CONTESTED);
  private final AtomicBoolean over = new AtomicBoolean();

  private static SlotBloom connect(TestSchema schema) {
    return SlotBloom.on(
        schema.pool(
            pool -> {
              pool.setMaximumPoolSize(4);
              pool.setConnectionTimeout(1000);
            }));
  }

  private static RedisServer serve(SlotBloom bloom) throws IOException {
    return RedisServer.builder(bloom).port(0).timeout(Duration.ofSeconds(2)).start();
  }

  @Test
  void noKeyIsNewTwiceAndNoneThatWasAnsweredIsMissing(TestDatabase like) throws Exception {
    long seed = System.nanoTime();
    System.out.println("KilledDatabaseIT: seed " + seed);
    try (KillableServer database = KillableServer.like(like);
        TestSchema schema = database.database().createSchema();
        SlotBloom one = connect(schema);
        SlotBloom two = connect(schema)) {
      one.migrate();
      try (RedisServer first = serve(one);
          RedisServer second = serve(two);
          RawClient client = new RawClient(first.address())) {
        // So few false positives that the test never meets one.
        assertThat(client.ask("BF.RESERVE", NAME, "0.000000001", "100000")).isEqualTo("+OK\r\n");
        Crowd crowd =
            Crowd.of(
                CLIENTS,
                number -> add(number % 2 == 0 ? first : second, new Random(seed + number)));
        for (int kill = 0; kill < KILLS; kill++) {
          awaitMore(certain, ANSWERS_BETWEEN);
          database.fail(() -> awaitMore(others, CLIENTS));
          crowd.requireNoFailure();
        }
        awaitMore(certain, ANSWERS_BETWEEN);
        over.set(true);
        crowd.join(Duration.ofSeconds(60));
        System.out.println(
            "KilledDatabaseIT: "
                + answers.stream().collect(groupingBy(Answer::heard, TreeMap::new, counting())));
        check(client);
        try (RawClient other = new RawClient(second.address())) {
          check(other);
        }
      }
    }
  }

  private static void awaitMore(AtomicInteger number, int more) {
    int before = number.get();
    await().atMost(Duration.ofSeconds(120)).until(() -> number.get() >= before + more);
  }

  private void add(RedisServer server, Random random) throws IOException {
    try (RawClient client = new RawClient(server.address())) {
      while (!over.get()) {
        int last = newest.addAndGet(2);
        List<Integer> keys =
            random
                .ints(1 + random.nextInt(MOST_PIPED), 0, CONTESTED)
                .mapToObj(before -> last - before)
                .toList();
        client.send(
            keys.stream()
                .map(key -> RawClient.request("BF.ADD", NAME, "key " + key))
                .collect(joining()));
        for (int key : keys) {
          Answer answer = new Answer(key, heard(client.answer()));
          answers.add(answer);
          (answer.isCertain() ? certain : others).incrementAndGet();
        }
      }
    }
  }

  private static Heard heard(String answer) {
    if (answer.equals(":1\r\n")) {
      return Heard.NEW;
    }
    if (answer.equals(":0\r\n")) {
      return Heard.SEEN;
    }
    if (answer.startsWith("-TRYAGAIN ")) {
      return Heard.NOT_RECORDED;
    }
    assertThat(answer).startsWith("-ERR outcome unknown");
    return Heard.UNKNOWN;
  }

  private void check(RawClient client) throws IOException {
    Map<Integer, List<Heard>> byKey =
        answers.stream().collect(groupingBy(Answer::key, mapping(Answer::heard, toList())));
    List<Integer> keys = List.copyOf(byKey.keySet());
    List<Boolean> found = found(client, keys);
    SoftAssertions softly = new SoftAssertions();
    for (int i = 0; i < keys.size(); i++) {
      List<Heard> heard = byKey.get(keys.get(i));
      String what = "key " + keys.get(i) + ": " + heard;
      softly.assertThat(Collections.frequency(heard, Heard.NEW)).as(what).isLessThan(2);
      if (heard.contains(Heard.NEW) || heard.contains(Heard.SEEN)) {
        softly.assertThat(found.get(i)).as(what).isTrue();
      } else if (!heard.contains(Heard.UNKNOWN)) {
        softly.assertThat(found.get(i)).as(what).isFalse();
      }
      if (heard.contains(Heard.SEEN)) {
        softly.assertThat(heard).as(what).containsAnyOf(Heard.NEW, Heard.UNKNOWN);
      }
    }
    softly
        .assertThat(client.ask("BF.CARD", NAME))
        .isEqualTo(":" + Collections.frequency(found, true) + "\r\n");
    softly.assertAll();
  }

  private static List<Boolean> found(RawClient client, Collection<Integer> keys)
      throws IOException {
    client.send(
        keys.stream()
            .map(key -> RawClient.request("BF.EXISTS", NAME, "key " + key))
            .collect(joining()));
    List<Boolean> found = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      String answer = client.answer();
      assertThat(answer).isIn(":0\r\n", ":1\r\n");
      found.add(answer.equals(":1\r\n"));
    }
    return found;
  }
}
