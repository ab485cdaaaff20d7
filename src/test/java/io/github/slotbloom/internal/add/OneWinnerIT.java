package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many processes and threads add the same keys at the same time. */
@DatabaseContract
@Tag("mysql")
class OneWinnerIT {

  private static final int INSTANCES = 4;
  private static final int THREADS_EACH = 3;
  private static final int CALLS = 25;
  private static final int UNIVERSE = 3000;

  private final Instances instances;
  private final Sql sql;

  OneWinnerIT(TestSchema schema) {
    instances = new Instances(schema);
    sql = new Sql(schema.dataSource());
  }

  @AfterEach
  void close() {
    instances.close();
  }

  @Test
  void atMostOneCallerHearsThatAKeyIsNew() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("OneWinnerIT with seed " + seed);
    SlotBloom first = instances.another();
    first.migrate();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(UNIVERSE).falsePositiveRate(0.01).build();
    first.reserve("contested", spec).close();

    Map<String, AtomicInteger> winners = new ConcurrentHashMap<>();
    List<BloomFilter<String>> filters = new ArrayList<>();
    List<Callable<Void>> work = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      FilterOptions options = FilterOptions.defaults();
      BloomFilter<String> filter =
          instances
              .another()
              .open("contested", spec, i % 2 == 0 ? options : options.withoutMirror());
      filters.add(filter);
      for (int t = 0; t < THREADS_EACH; t++) {
        Random random = new Random(seed + i * THREADS_EACH + t);
        work.add(() -> addAtRandom(filter, random, winners));
      }
    }
    ExecutorService threads = Executors.newFixedThreadPool(work.size());
    try {
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
    } finally {
      threads.shutdown();
    }

    assertThat(winners).isNotEmpty();
    assertThat(winners.values()).allMatch(count -> count.get() <= 1);
    long won = winners.values().stream().filter(count -> count.get() == 1).count();
    assertThat(first.info("contested").keysAdded()).isEqualTo(won);
    List<String> added = List.copyOf(winners.keySet());
    filters.add(instances.another().open("contested", spec));
    for (BloomFilter<String> filter : filters) {
      assertThat(filter.mightContainEach(added)).containsOnly(true);
    }
    assertThatJournalIsAChainOf(won);
    first.admin().fold("contested");
    assertThatSlotsAreTheJournal(first.info("contested"));
    assertThat(filters.get(1).mightContainEach(added)).containsOnly(true);
  }

  /** Each call adds some keys, and asks for all of them at once. */
  private static Void addAtRandom(
      BloomFilter<String> filter, Random random, Map<String, AtomicInteger> winners) {
    for (int call = 0; call < CALLS; call++) {
      List<String> keys =
          random.ints(1 + random.nextInt(40), 0, UNIVERSE).mapToObj(k -> "k" + k).toList();
      boolean[] fresh = filter.addEach(keys);
      for (int i = 0; i < fresh.length; i++) {
        winners.computeIfAbsent(keys.get(i), k -> new AtomicInteger()).addAndGet(fresh[i] ? 1 : 0);
      }
      assertThat(filter.mightContainEach(keys)).containsOnly(true);
    }
    return null;
  }

  private void assertThatJournalIsAChainOf(long keys) throws SQLException {
    List<List<String>> entries =
        sql.rows(
            "SELECT seq, previous_token, token, LENGTH(payload) FROM bloom_journal WHERE seq > 0 ORDER BY seq");
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      assertThat(entries.get(i).get(0)).isEqualTo(String.valueOf(i + 1));
      if (i > 0) {
        assertThat(entries.get(i).get(1)).isEqualTo(entries.get(i - 1).get(2));
      }
      bytes += Long.parseLong(entries.get(i).get(3));
    }
    assertThat(bytes).isEqualTo(keys * Long.BYTES);
    assertThat(sql.rows("SELECT last_seq, token FROM bloom_journal WHERE seq = 0"))
        .containsExactly(
            List.of(String.valueOf(entries.size()), entries.get(entries.size() - 1).get(2)));
  }

  private void assertThatSlotsAreTheJournal(FilterInfo info) throws SQLException {
    FilterInfo.Generation generation = info.generations().get(0);
    Probe probe =
        Probe.of(new BloomParameters(info.layout(), generation.bits(), generation.hashes()));
    Map<Long, Long> expected = new TreeMap<>();
    for (String payload :
        sql.texts("SELECT HEX(payload) FROM bloom_journal WHERE seq > 0 ORDER BY seq")) {
      for (int i = 0; i < payload.length(); i += 16) {
        probe.forEachMask(
            Long.parseUnsignedLong(payload.substring(i, i + 16), 16),
            (slot, mask) -> expected.merge(slot, mask, (a, b) -> a | b));
      }
    }
    Map<Long, Long> stored = new HashMap<>();
    for (List<String> row : sql.rows("SELECT slot, bits FROM " + generation.slotTable())) {
      stored.put(Long.valueOf(row.get(0)), Long.parseUnsignedLong(row.get(1)));
    }
    assertThat(stored).isEqualTo(expected);
    assertThat(info.bitsSet())
        .isEqualTo(sql.number("SELECT SUM(BIT_COUNT(bits)) FROM " + generation.slotTable()))
        .isEqualTo(expected.values().stream().mapToLong(Long::bitCount).sum());
    assertThat(info.backlog()).isZero();
  }
}
