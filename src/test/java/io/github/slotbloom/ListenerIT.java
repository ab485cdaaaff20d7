package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.slotbloom.SlotBloomEvent.Added;
import io.github.slotbloom.SlotBloomEvent.CapacityReached;
import io.github.slotbloom.SlotBloomEvent.Closed;
import io.github.slotbloom.SlotBloomEvent.NearlyFull;
import io.github.slotbloom.SlotBloomEvent.Opened;
import io.github.slotbloom.SlotBloomEvent.Reloading;
import io.github.slotbloom.SlotBloomEvent.Retrying;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the application is told of. */
@DatabaseContract(onOne = true)
@Timeout(180)
class ListenerIT {

  private static TestSchema schema;
  private static SlotBloom bloom;
  private static final List<SlotBloomEvent> TOLD = new CopyOnWriteArrayList<>();

  private record Recorder(List<SlotBloomEvent> told) implements SlotBloomListener {
    @Override
    public void on(SlotBloomEvent event) {
      told.add(event);
      if (event instanceof CapacityReached) {
        throw new IllegalStateException("thrown by the listener of a test, on purpose");
      }
    }
  }

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    TOLD.clear();
    bloom = connect(TOLD);
    bloom.migrate();
  }

  private static SlotBloom connect(List<SlotBloomEvent> told) {
    return SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(3)))
        .listener(new Recorder(told))
        .build();
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  /** It is told on the thread that writes, after the answer. */
  private static void awaitTold(String filter, SlotBloomEvent... expected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(toldOf(filter)).containsExactly(expected));
  }

  private static List<SlotBloomEvent> toldOf(String filter) {
    return TOLD.stream()
        .filter(told -> told.filter().equals(filter))
        .filter(
            told -> !(told instanceof Opened || told instanceof Closed || told instanceof Added))
        .toList();
  }

  @Test
  @ExpectedLog(value = "filter small is nearly full", times = 1)
  @ExpectedLog(value = "filter small is full", times = 1)
  @ExpectedLog("a SlotBloomListener threw")
  void theListenerHearsOnceThatTheCapacityIsReached() {
    BloomFilter<String> filter = bloom.reserve("small", hundred(OnFull.DEGRADE));
    filter.addEach(keys(0, 99));
    // A listener that throws changes nothing for who adds.
    assertThat(filter.add("the last")).isTrue();
    await().atMost(Duration.ofSeconds(60)).until(() -> !toldOf("small").isEmpty());
    filter.addEach(keys(100, 150));
    filter.add("one more");
    assertThat(toldOf("small"))
        .containsExactly(
            new NearlyFull(
                "small",
                99,
                100,
                RISES + " when it is full. Raise its capacity (slotbloom grow small --capacity N)"),
            new CapacityReached("small", 100, 100, RISES));
  }

  private static final String RISES = "its false positive rate rises above 1.0E-9";

  private static FilterSpec<String> hundred(OnFull onFull) {
    return FilterSpec.builder(KeyType.text())
        .capacity(100)
        .falsePositiveRate(1e-9)
        .onFull(onFull)
        .build();
  }

  @Test
  @ExpectedLog(value = "filter growing is nearly full", times = 2)
  void theListenerHearsOnceForEachCapacityThatItIsNearlyFull() {
    BloomFilter<String> filter = bloom.reserve("growing", hundred(OnFull.GROW));
    filter.addEach(keys(0, 79));
    assertThat(toldOf("growing")).isEmpty();
    filter.addEach(keys(79, 80));
    filter.addEach(keys(80, 100));
    filter.addEach(keys(100, 159));
    filter.addEach(keys(159, 170));
    filter.addEach(keys(170, 180));
    String grows = "it grows automatically when it is full";
    awaitTold(
        "growing",
        new NearlyFull("growing", 80, 100, grows),
        new NearlyFull("growing", 170, 200, grows));
  }

  @Test
  @ExpectedLog(value = "filter early is nearly full", times = 1)
  @ExpectedLog(value = "filter early is full", times = 1)
  @ExpectedLog("a SlotBloomListener threw")
  void theOptionsSayWhenAFilterIsNearlyFull() {
    BloomFilter<String> filter =
        bloom.reserve("early", hundred(OnFull.REFUSE), FilterOptions.defaults().warnAt(0.5));
    filter.addEach(keys(0, 49));
    filter.addEach(keys(49, 51));
    filter.addEach(keys(51, 100));
    awaitTold(
        "early",
        new NearlyFull(
            "early",
            51,
            100,
            "new keys are rejected when it is full. Raise its capacity (slotbloom grow early"
                + " --capacity N)"),
        new CapacityReached("early", 100, 100, "new keys are rejected"));
    // What the listener throws is logged after it was told.
    filter.close();
  }

  @Test
  void theListenerHearsOfAClearAsAReload() {
    BloomFilter<String> filter = bloom.reserve("cleared", Use.MIRRORED.spec(KeyType.text()));
    filter.add("a");
    bloom.admin(filter.name()).clear();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(toldOf("cleared")).contains(new Reloading("cleared", "it was cleared"));
  }

  @Test
  void theListenerHearsOfALongLockAsARetry() throws Exception {
    BloomFilter<String> filter = bloom.reserve("held", Use.MIRRORED.spec(KeyType.text()));
    CompletableFuture<Boolean> added;
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf("held", lock);
      added = filter.addAsync("a");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  toldOf("held").stream()
                      .anyMatch(
                          told -> told instanceof Retrying retrying && retrying.attempt() == 1));
      lock.rollback();
    }
    assertThat(added.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(1);
  }

  @Test
  @ExpectedLog("weak durability: innodb_flush_log_at_trx_commit is 2")
  @ExpectedLog("weak durability: sync_binlog is 0")
  void theListenerHearsOfSettingsThatWeakenDurability(TestDatabase database) throws SQLException {
    assumeFalse(database.name().startsWith("url"), "the settings of a given server are its own");
    assertThat(TOLD).noneMatch(told -> told.message().startsWith("innodb_flush_log_at_trx_commit"));
    Sql admin = new Sql(database.admin());
    List<SlotBloomEvent> told = new CopyOnWriteArrayList<>();
    admin.run("SET GLOBAL innodb_flush_log_at_trx_commit = 2, GLOBAL sync_binlog = 0");
    try (SlotBloom weak = connect(told)) {
      assertThat(told)
          .extracting(SlotBloomEvent::message)
          .anyMatch(finding -> finding.startsWith("innodb_flush_log_at_trx_commit is 2"))
          .anyMatch(finding -> finding.startsWith("sync_binlog is 0"));
      BloomFilter<String> here = weak.reserve("weak", Use.MIRRORED.spec(KeyType.text()));
      BloomFilter<String> there = bloom.open("weak", KeyType.text());
      // What others wrote may not be durable on such a server; the answers stay right.
      assertThat(there.add("a")).isTrue();
      assertThat(here.add("a")).isFalse();
      assertThat(here.addEach(List.of("a", "b", "b"))).containsExactly(false, true, false);
      assertThat(there.mightContain("b")).isTrue();
    } finally {
      admin.run("SET GLOBAL innodb_flush_log_at_trx_commit = 1, GLOBAL sync_binlog = 1");
    }
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }
}
