package io.github.slotbloom.resp;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.resp.GoldenRow.Block;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each request is answered with the bytes that RedisBloom on Redis 7.0.15 answered, but for those
 * in {@code differences.tsv}, which says why.
 */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class GoldenIT {

  /**
   * Rows with SET stand for a key of another kind. The only other kind that there is here are
   * filters from which keys are removed.
   */
  private static final Map<String, String> OTHER_KIND = Map.of("SET s 1", "CF.RESERVE s 1000");

  private static final int MOST_OF_PIECE = 40;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private RedisServer server;

  static List<Block> blocks() throws IOException {
    return GoldenRow.blocks();
  }

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.builder(bloom).port(0).start();
  }

  @AfterEach
  void empty() {
    server.close();
    bloom.names().forEach(each -> bloom.admin(each).drop());
  }

  private interface Asking {
    String answer(GoldenRow row) throws IOException;
  }

  private RawClient connect(Block block) throws IOException {
    RawClient client = new RawClient(server.address());
    client.ask("HELLO", Integer.toString(block.rows().get(0).version()));
    return client;
  }

  private static void check(Block block, Asking asking) throws IOException {
    Map<GoldenRow, GoldenRow> differences = differences();
    SoftAssertions softly = new SoftAssertions();
    for (GoldenRow row : block.rows()) {
      GoldenRow ours = differences.getOrDefault(keyOf(row), row);
      softly.assertThat(asking.answer(row)).as(row.request()).isEqualTo(ours.answer());
    }
    softly.assertAll();
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void eachRowIsAnsweredAsRedisBloomDoes(Block block) throws IOException {
    try (RawClient client = connect(block)) {
      check(block, row -> client.type(typed(row.request())));
    }
  }

  /** As a client sends them that does not wait, in pieces as a network makes them. */
  @ParameterizedTest
  @MethodSource("blocks")
  void theRowsAreAnsweredAlikeInOnePipeline(Block block) throws IOException {
    try (RawClient client = connect(block)) {
      String all =
          block.rows().stream().map(row -> typed(row.request()) + "\r\n").collect(joining());
      Random random = new Random(all.length());
      int to;
      for (int from = 0; from < all.length(); from = to) {
        to = Math.min(all.length(), from + 1 + random.nextInt(MOST_OF_PIECE));
        client.send(all.substring(from, to));
      }
      check(block, row -> client.answer());
    }
  }

  @Test
  void eachDifferenceIsOneAndHasAReason() throws IOException {
    List<GoldenRow> rows = GoldenRow.blocks().stream().flatMap(b -> b.rows().stream()).toList();
    List<GoldenRow> unneeded = new ArrayList<>();
    differences()
        .forEach(
            (key, ours) -> {
              if (rows.contains(ours)
                  || rows.stream().map(GoldenIT::keyOf).noneMatch(key::equals)) {
                unneeded.add(ours);
              }
            });
    assertThat(unneeded).isEmpty();
    assertThat(rows).hasSizeGreaterThan(400);
  }

  private static String typed(String request) {
    return OTHER_KIND.getOrDefault(request, request);
  }

  private static GoldenRow keyOf(GoldenRow row) {
    return new GoldenRow(row.version(), row.request(), "");
  }

  private static Map<GoldenRow, GoldenRow> differences() throws IOException {
    Map<GoldenRow, GoldenRow> differences = new HashMap<>();
    for (String line : GoldenRow.lines("differences.tsv")) {
      if (!line.startsWith("#")) {
        String[] columns = line.split("\t");
        assertThat(columns).as(line).hasSize(4);
        GoldenRow ours =
            new GoldenRow(
                Integer.parseInt(columns[0]), columns[1], columns[2].replace("\\r\\n", "\r\n"));
        differences.put(keyOf(ours), ours);
      }
    }
    return differences;
  }
}
