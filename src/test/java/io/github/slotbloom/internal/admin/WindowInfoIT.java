package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Bucket;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.FilterStatus;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The figures of a window tell of each bucket, and leave out what expired. */
@DatabaseContract(migrated = true, shortLeases = true)
class WindowInfoIT {

  private static final Use USE = Use.MIRRORED;

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Instant MIDNIGHT = Instant.parse("2026-03-02T00:00:00Z");

  @Fixture private static TestSchema schema;

  private static ClockedConnections clock;
  private SlotBloom writer;
  private SlotBloom reader;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    writer = SlotBloom.builder(clock.dataSource()).build();
    reader = SlotBloom.builder(clock.dataSource()).build();
  }

  @AfterEach
  void close() {
    writer.close();
    reader.close();
  }

  private static FilterSpec.Builder<String> week() {
    return FilterSpec.builder(KeyType.text())
        .capacity(7000)
        .falsePositiveRate(1e-6)
        .window(DAY.multipliedBy(7), 7);
  }

  @Test
  void eachGenerationTellsOfItsBucket() {
    String name = "buckets_" + USE.filterName();
    try (BloomFilter<String> filter = writer.reserve(name, week().build(), USE.options())) {
      filter.addEach(keys("first ", 3));
      clock.advance(DAY);
      filter.addEach(keys("second ", 2));
      writer.admin(filter.name()).fold();
      FilterInfo info = writer.info(filter.name());

      assertThat(info.window()).contains(new Window(DAY.multipliedBy(7), 7, false));
      assertThat(info.generations())
          .flatExtracting(generation -> generation.bucket().stream().toList())
          .containsExactly(bucket(0, true, 3), bucket(1, false, 2));
      assertThat(info.generations()).extracting(Generation::state).containsOnly(State.ACTIVE);
      assertThat(info.keysAdded()).isEqualTo(5);
      assertThat(info.keysSet()).isEqualTo(5);
      assertThat(info.fullAt()).isEqualTo(1003);
      assertThat(info.capacity()).as("of the whole week").isEqualTo(7000);
      assertThat(info.used()).isCloseTo(0.002, within(1e-9));
      assertThat(info.estimatedKeys()).isCloseTo(5, within(0.1));
    }
  }

  private static Bucket bucket(int day, boolean over, long keys) {
    Instant begin = MIDNIGHT.plus(DAY.multipliedBy(day));
    return new Bucket(begin, begin.plus(DAY), begin.plus(DAY.multipliedBy(8)), over, keys);
  }

  @Test
  void whatExpiredDoesNotCountEvenIfNobodyAddsAnymore() {
    String name = "idle_" + USE.filterName();
    try (BloomFilter<String> filter = writer.reserve(name, week().build(), USE.options())) {
      filter.addEach(keys("first ", 300));
      clock.advance(DAY);
      filter.addEach(keys("second ", 200));
      writer.admin(filter.name()).fold();
    }
    writer.close();

    clock.advance(DAY.multipliedBy(7));
    FilterInfo later = reader.info(name);
    assertThat(later.generations())
        .extracting(Generation::state)
        .containsExactly(State.EXPIRED, State.ACTIVE);
    assertThat(later.generations())
        .flatExtracting(generation -> generation.bucket().stream().toList())
        .containsExactly(bucket(0, true, 300), bucket(1, true, 200));
    Generation left = later.generations().get(1);
    assertThat(later.keysAdded()).isEqualTo(200);
    assertThat(later.estimatedKeys()).isCloseTo(200, within(10.0));
    assertThat(later.mirrorBytes()).isEqualTo(left.slots() * Long.BYTES);
    assertThat(later.bits()).isEqualTo(left.bits());
    assertThat(later.fill()).isEqualTo(left.fill());
    assertThat(later.currentFalsePositiveRate()).isEqualTo(left.currentFalsePositiveRate());
    assertThat(later.fullAt()).isEqualTo(1200);
    assertThat(later.used()).isZero();

    clock.advance(DAY);
    FilterInfo none = reader.info(name);
    assertThat(none.generations()).extracting(Generation::state).containsOnly(State.EXPIRED);
    assertThat(none.keysSet()).isZero();
    assertThat(none.estimatedKeys()).isZero();
    assertThat(none.bits()).isZero();
    assertThat(none.mirrorBytes()).isZero();
    assertThat(none.fill()).isZero();
    assertThat(none.currentFalsePositiveRate()).isZero();
    assertThat(none.fullAt()).isEqualTo(1000);
    assertThat(none.nearlyFull()).isFalse();
  }

  @Test
  void renewedKeysTakeRoom() {
    String name = "renewed_" + USE.filterName();
    try (BloomFilter<String> filter = writer.reserve(name, week().renew().build(), USE.options())) {
      filter.addEach(keys("key ", 30));
      clock.advance(DAY);
      filter.add("new");
      filter.addEach(keys("key ", 20));
      FilterInfo info = writer.info(filter.name());

      assertThat(info.keysAdded()).isEqualTo(31);
      assertThat(info.keysRenewed()).isEqualTo(20);
      assertThat(info.keysSet()).isEqualTo(51);
      assertThat(info.generations())
          .flatExtracting(generation -> generation.bucket().stream().toList())
          .containsExactly(bucket(0, true, 30), bucket(1, false, 21));
    }
    writer.close();
    clock.advance(DAY.multipliedBy(7));
    FilterInfo later = reader.info(name);
    assertThat(later.keysAdded()).isEqualTo(1);
    assertThat(later.keysRenewed()).isEqualTo(20);
  }

  @Test
  void aClockThatLeapsAheadLetsNothingExpire() {
    try (BloomFilter<String> filter = writer.reserve("leap", week().build())) {
      clock.set(Instant.now());
      filter.add("a");
    }
    writer.close();
    clock.set(Instant.now().plus(DAY.multipliedBy(400)));
    FilterInfo info = reader.info("leap");
    assertThat(info.generations().get(info.generations().size() - 1).state())
        .isEqualTo(State.ACTIVE);
    assertThat(info.keysAdded()).isEqualTo(1);
  }

  @Test
  void onlyTheCurrentBucketTellsHowFullAWindowIs() {
    FilterSpec<String> spec = week().onFull(OnFull.REFUSE).build();
    try (BloomFilter<String> filter = writer.reserve("steady", spec)) {
      for (int day = 0; day < 4; day++) {
        filter.addEach(keys("day " + day + " ", 700));
        clock.advance(DAY);
      }
      filter.addEach(keys("last ", 100));
      FilterInfo info = writer.info(filter.name());
      assertThat(info.keysSet()).isEqualTo(2900);
      assertThat(info.fullAt()).isEqualTo(3800);
      assertThat(info.used()).isCloseTo(0.1, within(1e-9));
      assertThat(info.nearlyFull()).isFalse();
      assertThat(info.nearlyFullAt()).isEqualTo(3600);
    }
  }

  @Test
  void windowsAreListedWithTheirLengths() {
    writer.reserve("months", week().window(DAY.multipliedBy(90), 3).renew().build()).close();
    writer.reserve("forever", FilterSpec.builder(KeyType.text()).capacity(100).build()).close();
    FilterSpec<String> past = week().expiresAt(NOON.plusSeconds(60)).build();
    writer.reserve("past", past).close();
    clock.advance(DAY);
    assertThat(writer.list())
        .filteredOn(filter -> List.of("forever", "months").contains(filter.name()))
        .extracting(FilterStatus::window)
        .containsExactly(Optional.empty(), Optional.of(new Window(DAY.multipliedBy(90), 3, true)));
  }
}
