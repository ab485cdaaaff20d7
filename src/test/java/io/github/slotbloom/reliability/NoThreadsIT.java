package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrowdedProcess.OTHERS;
import static io.github.slotbloom.reliability.CrowdedProcess.WATCHED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.JavaProcess;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.ThreadlessProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel refuses a process each further thread for a while, as where {@code ulimit -u} or the
 * limit of a container is reached. What the process does meanwhile fails and says why; afterwards
 * it goes on as if nothing had been.
 */
@DatabaseContract(onOne = true)
@EnabledOnOs(OS.LINUX)
@Timeout(600)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("long")
class NoThreadsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @Test
  void aProcessGoesOnAfterATimeWithoutNewThreads(TestSchema schema, @TempDir Path directory)
      throws Exception {
    try (SlotBloom bloom = SlotBloom.on(schema.dataSource())) {
      bloom.migrate();
      reserve(bloom, WATCHED);
      IntStream.range(0, OTHERS).forEach(i -> reserve(bloom, CrowdedProcess.other(i)));
      Path log = directory.resolve("log");
      try (ThreadlessProcess threadless = CrowdedProcess.start(schema.url(), schema.owner(), log)) {
        JavaProcess process = threadless.process();
        assertThat(process.nextLine(PATIENCE)).isEqualTo("ready");
        await()
            .atMost(PATIENCE)
            .until(() -> ask(process, "connections").equals(Integer.toString(OTHERS + 4)));
        List<Long> recorded = new ArrayList<>();
        String add;
        String lookup;
        try (Connection locks = schema.dataSource().getConnection()) {
          lockOthers(locks);
          threadless.allowThreads(false);
          assertThat(ask(process, "thread")).contains("unable to create native thread");
          add = addUntilItFails(process, recorded);
          lookup = askUntilItFails(process);
          assertThat(ask(process, "thread")).contains("unable to create native thread");
          threadless.allowThreads(true);
          assertThat(ask(process, "thread")).isEqualTo("started");
          locks.rollback();
        }
        long begin = recorded.size();
        for (long key = begin; key < begin + 10; key++) {
          assertThat(ask(process, "add " + key)).isEqualTo("new");
          recorded.add(key);
        }
        assertThat(ask(process, "ask 1000000")).isEqualTo("false");
        long othersRecorded = Long.parseLong(ask(process, "settle"));
        assertThat(ask(process, "others 1000")).isEqualTo("new");
        // In the background, with nobody telling it to.
        Sql sql = new Sql(schema.dataSource());
        await().atMost(PATIENCE).until(() -> unfolded(sql) == 0);
        assertThat(ask(process, "fold")).isEqualTo("folded");
        // The heartbeat may have one at any moment, and gives it back.
        await().atMost(PATIENCE).until(() -> ask(process, "borrowed").equals("0"));
        assertThat(add)
            .startsWith("NOT_RECORDED Could not add to filter watched: no thread could be started")
            .contains("unable to create native thread", "None of these keys was recorded");
        assertThat(lookup)
            .startsWith("FilterUnavailableException Filter watched could not be used:")
            .contains("no thread could be started", "unable to create native thread");
        assertThat(
                sql.number(
                    "SELECT SUM(keys_added) FROM bloom_filter_status WHERE name LIKE 'other%'"))
            .isEqualTo(othersRecorded + OTHERS);
        FilterState state = FilterState.read(schema.dataSource(), WATCHED);
        state.verifyFolded();
        assertThat(state.keysAdded()).isEqualTo(recorded.size());
        assertThat(recorded).allMatch(key -> state.contains(state.hash(key)));
      }
    }
  }

  private static void reserve(SlotBloom bloom, String name) {
    try (BloomFilter<Long> filter =
        bloom.reserve(
            name,
            FilterSpec.builder(KeyType.longs()).capacity(2_000).falsePositiveRate(1e-9).build())) {
      assertThat(filter.name()).isEqualTo(name);
    }
  }

  private static void lockOthers(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    for (int i = 0; i < OTHERS; i++) {
      // One by one: a range would lock the row that follows it.
      Sql.run(
          connection,
          "SELECT id FROM bloom_filter WHERE name = ? FOR UPDATE",
          CrowdedProcess.other(i));
    }
  }

  private static String ask(JavaProcess process, String line) {
    return process.ask(line, PATIENCE);
  }

  /**
   * While a thread is left that an earlier task has given back, another filter takes it.
   *
   * @param recorded gets the keys that were added
   */
  private static String addUntilItFails(JavaProcess process, List<Long> recorded) {
    for (int i = 0; i < OTHERS; i++) {
      String answer = ask(process, "add " + recorded.size());
      if (!answer.equals("new")) {
        return answer;
      }
      recorded.add((long) recorded.size());
      ask(process, "occupy");
    }
    throw new AssertionError("It always found a thread.");
  }

  /** Nobody added this key, so only the database can say so. */
  private static String askUntilItFails(JavaProcess process) {
    for (int i = 0; i < OTHERS; i++) {
      String answer = ask(process, "ask 1000000");
      if (!answer.equals("false")) {
        return answer;
      }
      ask(process, "occupy");
    }
    throw new AssertionError("It always found a thread.");
  }

  private static long unfolded(Sql sql) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM bloom_filter_status WHERE backlog_entries > 0");
  }
}
