package io.github.slotbloom.internal.duty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Growing;
import io.github.slotbloom.internal.admin.Rotating;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter that is to grow automatically, and cannot: nothing is lost, and somebody is told. */
@DatabaseContract(migrated = true, onOne = true)
@Timeout(180)
class SelfGrowthFaultsIT implements SlotBloomListener {

  private static final int CAPACITY = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final TestSchema schema;
  private final Sql sql;
  private final SetClock clock = new SetClock();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private SlotBloom admin;

  SelfGrowthFaultsIT(TestSchema schema) {
    this.schema = schema;
    this.sql = new Sql(schema.dataSource());
  }

  @BeforeEach
  void reserve() {
    admin = SlotBloom.on(schema.dataSource());
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(CAPACITY).falsePositiveRate(1e-9).build();
    admin.reserve("tight", spec).close();
  }

  @AfterEach
  void close() {
    admin.close();
  }

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.GrowthFailed failed) {
      told.add(failed.reason());
    }
  }

  private static long[] hashes(int from, int to) {
    return LongStream.range(from, to).map(key -> (key + 1) * 0x9E3779B97F4A7C15L).toArray();
  }

  private FilterEngines engines(FilterDirectory directory, GenerationMaker generations) {
    return new FilterEngines(
        Servers.only(directory.database()),
        directory.serverSettings(),
        clock,
        this,
        generations,
        FilterEngines.threads(),
        FilterEngines.timer());
  }

  private static FilterEngine open(
      FilterEngines engines, FilterDirectory directory, Duration timeout) {
    return engines.open(
        directory.require(new FilterName("tight")),
        FilterOptions.defaults().timeout(timeout).backlogLimit(1000));
  }

  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  void keysAreAddedWithoutTheRightToMakeTables() throws Exception {
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    DataSource pool = schema.pool(account, settings -> settings.setMaximumPoolSize(2));
    FilterDirectory directory = FilterDirectory.connect(pool, TimeSource.SYSTEM);
    try (FilterEngines engines =
        engines(
            directory,
            new Growing(directory, new Rotating(directory, new Rotation(TimeSource.SYSTEM))))) {
      FilterEngine filter = open(engines, directory, TIMEOUT);
      filter.writes().addEach(hashes(0, 900));
      await().atMost(TIMEOUT).untilAsserted(() -> assertThat(told).hasSize(1));
      for (int from = 900; from < 2_000; from += 100) {
        assertThat(filter.writes().addEach(hashes(from, from + 100))).containsOnly(true);
      }
      assertThat(told).hasSize(1);
      assertThat(told.get(0))
          .contains(sql.slots("tight", 2), "CREATE", "grow tight --capacity 2000 --dry-run");
      assertThat(admin.info("tight").capacity()).isEqualTo(CAPACITY);

      sql.runScript(admin.admin("tight").growSql());
      assertThat(filter.writes().add(hashes(2_000, 2_001)[0])).isTrue();
      assertThat(admin.info("tight").capacity()).as("not tried so soon").isEqualTo(CAPACITY);
      clock.advance(Duration.ofSeconds(31));
      assertThat(filter.writes().add(hashes(2_001, 2_002)[0])).isTrue();
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(admin.info("tight").capacity()).isEqualTo(4 * CAPACITY));
      assertThat(filter.writes().addEach(hashes(1_999, 2_500))).startsWith(false).endsWith(true);
      assertThat(filter.lookups().mightContainEach(hashes(0, 2_500))).containsOnly(true);
      assertThat(admin.info("tight").keysAdded()).isEqualTo(2_500);
      assertThat(told).hasSize(1);
    }
  }

  /** Counts what it is asked for, and does what the test says. */
  private static class StubbornGrower implements GenerationMaker {
    private final AtomicInteger asked = new AtomicInteger();
    private final Runnable answer;

    StubbornGrower(Runnable answer) {
      this.answer = answer;
    }

    static StubbornGrower withoutRoom() {
      return new StubbornGrower(
          () -> {
            throw new SchemaException("There is no room for another one.", null);
          });
    }

    @Override
    public void prepare(FilterRecord filter, long generationToken, boolean mirrored) {}

    @Override
    public void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored) {
      asked.incrementAndGet();
      answer.run();
    }

    @Override
    public void rotate(FilterRecord filter) {}

    @Override
    public long prepareBucket(FilterRecord filter) {
      return filter.head().manifestToken();
    }
  }

  @Test
  @ExpectedLog(value = KnownLogs.SELF_GROWTH_FAILED, times = 1)
  void repeatedFailuresAreToldOnceAndTriedNowAndThen() {
    StubbornGrower grower = StubbornGrower.withoutRoom();
    FilterDirectory directory = FilterDirectory.connect(schema.dataSource(), TimeSource.SYSTEM);
    try (FilterEngines engines = engines(directory, grower)) {
      FilterEngine filter = open(engines, directory, TIMEOUT);
      filter.writes().addEach(hashes(0, 1_100));
      for (int tried = 1; tried <= 3; tried++) {
        int expected = tried;
        filter.writes().addEach(hashes(1_100 * tried, 1_100 * (tried + 1)));
        assertThat(filter.writes().add(hashes(-tried, 1 - tried)[0])).isEqualTo(true);
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(grower.asked).hasValue(expected));
        clock.advance(Duration.ofSeconds(31));
      }
      assertThat(told).containsExactly("There is no room for another one.");
      assertThat(admin.info("tight").keysAdded()).isEqualTo(4_400 + 3);
    }
  }

  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  void aFailedGrowthIsTriedAtOnceAfterOthersLetTheFilterGrow() {
    StubbornGrower grower = StubbornGrower.withoutRoom();
    FilterDirectory directory = FilterDirectory.connect(schema.dataSource(), TimeSource.SYSTEM);
    try (FilterEngines engines = engines(directory, grower)) {
      FilterEngine filter = open(engines, directory, TIMEOUT);
      filter.writes().addEach(hashes(0, 1_100));
      filter.writes().addEach(hashes(1_100, 1_200));
      assertThat(grower.asked).hasValue(1);
      admin.admin("tight").grow(2_000);
      filter.writes().addEach(hashes(1_200, 1_900));
      assertThat(grower.asked).hasValue(1);
      filter.writes().addEach(hashes(1_900, 2_100));
      assertThat(grower.asked).hasValue(2);
      assertThat(filter.lookups().mightContainEach(hashes(0, 2_100))).containsOnly(true);
    }
  }

  /** Those who use it would all be stopped by a generation that they cannot hold. */
  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aFilterDoesNotGrowBeyondTheMemoryOfTheProcess() throws Exception {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(CAPACITY).falsePositiveRate(0.01).build();
    try (SlotBloom bloom = SlotBloom.builder(schema.dataSource()).listener(this).build()) {
      BloomFilter<String> filter = bloom.reserve("vast", spec);
      filter.add("a");
      sql.run(
          "UPDATE bloom_filter f JOIN bloom_journal e ON e.filter_id = id AND seq = 0"
              + " SET capacity = ?, e.keys_added = capacity WHERE name = 'vast'",
          1L << 36);
      assertThat(filter.addEach(List.of("a", "b", "c"))).containsExactly(false, true, true);
      assertThat(told).singleElement().asString().contains("vast", "withoutMirror");
      assertThat(bloom.info(filter.name()).generations()).hasSize(1);

      BloomFilter<String> direct =
          bloom.open("vast", KeyType.text(), FilterOptions.defaults().withoutMirror());
      assertThat(direct.add("d")).isTrue();
      assertThat(bloom.info(direct.name()).capacity()).isEqualTo(1L << 37);
    }
  }

  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  void addsDoNotWaitForASlowGrowth() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    StubbornGrower grower =
        new StubbornGrower(
            () -> {
              try {
                release.await(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    FilterDirectory directory = FilterDirectory.connect(schema.dataSource(), TimeSource.SYSTEM);
    try (FilterEngines engines = engines(directory, grower)) {
      FilterEngine filter = open(engines, directory, Duration.ofSeconds(3));
      assertThat(filter.writes().addEach(hashes(0, 1_100))).containsOnly(true);
      assertThat(told).singleElement().asString().contains("longer than adds can wait");
      assertThat(filter.writes().addEach(hashes(1_100, 1_200))).containsOnly(true);
      assertThat(grower.asked).hasValue(1);
      release.countDown();
    }
    assertThat(admin.info("tight").keysAdded()).isEqualTo(1_200);
  }
}
