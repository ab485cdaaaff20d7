package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The disk of the server is full. A server that cannot write its binary log does not fail then: it
 * waits within COMMIT, and looks once a minute whether there is room again.
 *
 * <p>A build has not that minute. There MariaDB is killed and started again once there is room;
 * MySQL, whose small disk would not outlive its container, is left as it is. {@code
 * slotbloom.soak.minutes} has both wait for themselves.
 */
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("long")
class DiskFullIT {

  private static final boolean LONG = Long.getLong("slotbloom.soak.minutes", 0) > 0;
  private static final Duration TIMEOUT = Duration.ofSeconds(4);
  private static final long MOST_ADDS = 1_000;
  private static final long BEFORE = -1;
  private static final long NEVER = -2;
  private static final long AFTER = -3;

  /** One filter, and what became of the keys that were added to it. */
  private static final class Adds {
    final BloomFilter<Long> filter;
    final BloomFilter<Long> direct;
    final List<Long> acknowledged = new ArrayList<>();
    final List<Long> unknown = new ArrayList<>();
    final List<Long> notRecorded = new ArrayList<>();
    private final SlotBloom bloom;
    private long nextKey;

    Adds(SlotBloom bloom) {
      this.bloom = bloom;
      String name = "keys";
      FilterSpec<Long> spec =
          FilterSpec.builder(KeyType.longs()).capacity(10_000).falsePositiveRate(1e-9).build();
      bloom.reserve(name, spec).close();
      FilterOptions options = FilterOptions.defaults().timeout(TIMEOUT);
      filter = bloom.open(name, KeyType.longs(), options);
      direct = bloom.open(name, KeyType.longs(), options.withoutMirror());
    }

    /** Leaves all rows of the slot table: a server that makes room for them may answer nobody. */
    void begin() {
      assertThat(filter.add(BEFORE)).isTrue();
      acknowledged.add(BEFORE);
      bloom.admin(filter.name()).fold();
    }

    /** What is left of the last page of the binary log still takes some. */
    WriteFailedException addUntilOneFails() {
      for (int i = 0; i < MOST_ADDS; i++) {
        long key = nextKey++;
        WriteFailedException failure =
            catchThrowableOfType(
                WriteFailedException.class, () -> assertThat(filter.add(key)).isTrue());
        if (failure == null) {
          acknowledged.add(key);
        } else {
          (failure.outcome() == Outcome.UNKNOWN ? unknown : notRecorded).add(key);
          return failure;
        }
      }
      throw new AssertionError("The disk is not full: no add failed");
    }

    void assertLookupsGoOn() {
      for (BloomFilter<Long> asked : List.of(filter, direct)) {
        assertThat(asked.mightContain(BEFORE)).isTrue();
        assertThat(asked.mightContain(NEVER)).isFalse();
        assertThat(asked.mightContainEach(acknowledged)).containsOnly(true);
      }
    }

    void assertTruthful(TestSchema schema) throws SQLException {
      FilterState state = FilterState.read(schema.dataSource(), filter.name());
      state.verify();
      assertThat(acknowledged).allMatch(key -> state.timesJournaled(key) == 1);
      assertThat(notRecorded).allMatch(key -> state.timesJournaled(key) == 0);
      long recorded = unknown.stream().filter(key -> state.timesJournaled(key) == 1).count();
      assertThat(state.keysAdded()).isEqualTo(acknowledged.size() + recorded);
    }

    void awaitAddAgain() {
      await()
          .atMost(Duration.ofSeconds(120))
          .ignoreExceptionsInstanceOf(WriteFailedException.class)
          .until(
              () -> {
                filter.add(AFTER);
                return true;
              });
      acknowledged.add(AFTER);
      filter.addEach(unknown);
      acknowledged.addAll(unknown);
      unknown.clear();
    }
  }

  @Test
  void callsOnAFullDiskEndInTimeAndLoseNoKey(TestDatabase database) throws Exception {
    KillableServer server = KillableServer.onSmallDisk(database);
    HikariDataSource pool;
    try (server) {
      TestSchema schema = server.database().createSchema();
      pool =
          schema.pool(settings -> settings.setLeakDetectionThreshold(TimeUnit.MINUTES.toMillis(3)));
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        bloom.migrate();
        Adds adds = new Adds(bloom);
        adds.begin();
        server.fillDisk();
        // The first one's COMMIT hangs; the second one has not got that far.
        assertThat(adds.addUntilOneFails().outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(adds.addUntilOneFails().outcome()).isEqualTo(Outcome.NOT_RECORDED);
        adds.assertLookupsGoOn();
        adds.assertTruthful(schema);
        server.freeDisk();
        if (LONG || database.isMariaDb()) {
          if (!LONG) {
            server.crash();
          }
          adds.awaitAddAgain();
          adds.assertLookupsGoOn();
          adds.assertTruthful(schema);
        } else {
          // Whoever waits for it must not hold up the end.
          server.network().cutAll();
        }
      }
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    pool.close();
  }
}
