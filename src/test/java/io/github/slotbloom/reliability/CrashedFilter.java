package io.github.slotbloom.reliability;

import static io.github.slotbloom.testing.Keys.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.ShortLease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A filter that somebody works on during a crash, and that others look at from all sides
 * afterwards.
 */
final class CrashedFilter implements AutoCloseable {

  static final long CAPACITY = 50_000;

  static final List<Long> ACKNOWLEDGED = numbers(1, 50);
  static final List<Long> AT_STAKE = numbers(101, 103);
  static final List<Long> NEVER_ADDED = numbers(1_000_001, 1_000_200);

  private static final int MOST_ASKED = 500;

  private final CrashSite site;
  private final String name = FilterNames.newName();
  private final List<BloomFilter<Long>> openedAfterwards = new ArrayList<>();

  CrashedFilter(CrashSite site) {
    this.site = site;
  }

  String name() {
    return name;
  }

  FilterState state() throws SQLException {
    return FilterState.read(site.tables(), name);
  }

  /** Makes a filter that holds the acknowledged keys, folded, so that nobody folds by himself. */
  BloomFilter<Long> reserve() throws SQLException {
    return reserve(site.others(), FilterCommands.spec(CAPACITY));
  }

  BloomFilter<Long> reserve(SlotBloom bloom, FilterSpec<Long> spec) throws SQLException {
    bloom.reserve(name, spec).close();
    ShortLease.of(name, site.sql());
    // So old that entries may be trimmed already.
    site.sql()
        .run(
            "UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE name = ?",
            name);
    BloomFilter<Long> filter = bloom.open(name, KeyType.longs());
    assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
    bloom.admin(filter.name()).fold();
    return filter;
  }

  /** Adds keys that nobody folds; they fill more slots than one statement writes. */
  List<Long> leaveBacklog() throws SQLException {
    try (SlotBloom maker = SlotBloom.on(site.tables())) {
      reserve(maker, FilterCommands.spec(CAPACITY)).close();
    }
    List<Long> added = new ArrayList<>();
    FilterState state;
    do {
      try (SlotBloom maker = SlotBloom.on(site.tables());
          BloomFilter<Long> filter = maker.open(name, KeyType.longs());
          Connection connection = site.tables().getConnection()) {
        connection.setAutoCommit(false);
        // Two entries.
        for (int i = 0; i < 2; i++) {
          List<Long> more = numbers(2001 + added.size(), 2250 + added.size());
          filter.within(connection).addEach(more);
          added.addAll(more);
        }
        connection.commit();
      }
      // A heartbeat may have had it folded before all was closed. Nobody does so from here on.
      state = state();
    } while (state.foldedSeq() == state.lastSeq());
    return added;
  }

  void verifyTables() {
    try {
      state().verify();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Wherever one looks. */
  void assertThereWhollyOrNotAtAll(BloomFilter<Long> survivor, List<Long> keys, boolean recorded)
      throws SQLException {
    FilterState state = state();
    state.verify();
    assertThat(keys)
        .allMatch(key -> state.contains(state.hash(key)) == recorded, "in the tables " + recorded);
    assertEverywhere(survivor, keys, recorded);
  }

  /** Also that mirrors hold no more than the tables do. */
  void assertWhatWasAcknowledgedIsFound(BloomFilter<Long> survivor) throws SQLException {
    assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, true);
    assertThereWhollyOrNotAtAll(survivor, NEVER_ADDED, false);
  }

  void assertEverywhere(BloomFilter<Long> survivor, List<Long> keys, boolean found) {
    if (openedAfterwards.isEmpty()) {
      openedAfterwards.add(site.others().open(name, KeyType.longs()));
      FilterOptions direct = FilterOptions.defaults().withoutMirror();
      openedAfterwards.add(site.others().open(name, KeyType.longs(), direct));
    }
    List<Long> asked = keys.size() <= MOST_ASKED ? keys : sample(keys);
    assertThat(survivor.mightContainEach(asked)).as("in a mirror before").containsOnly(found);
    assertThat(openedAfterwards.get(0).mightContainEach(asked))
        .as("in a mirror loaded since")
        .containsOnly(found);
    assertThat(openedAfterwards.get(1).mightContainEach(asked))
        .as("without a mirror")
        .containsOnly(found);
  }

  /** So many from either end. */
  private static List<Long> sample(List<Long> keys) {
    return Stream.concat(
            keys.subList(0, MOST_ASKED / 2).stream(),
            keys.subList(keys.size() - MOST_ASKED / 2, keys.size()).stream())
        .toList();
  }

  /** Another process adds them again, and they are counted once. */
  void assertRetried(BloomFilter<Long> survivor, List<Long> keys, boolean areNew)
      throws SQLException {
    long before = state().keysAdded();
    try (BloomFilter<Long> another = site.others().open(name, KeyType.longs())) {
      assertThat(another.addEach(keys)).containsOnly(areNew);
    }
    FilterState state = state();
    assertThat(state.keysAdded() - before).isEqualTo(areNew ? keys.size() : 0);
    long first = state.hash(keys.get(0));
    assertThat(LongStream.of(state.hashes()).filter(hash -> hash == first)).hasSize(1);
    assertEverywhere(survivor, keys, true);
    assertFoldsToWhatWasCommitted(survivor);
  }

  void assertFoldsToWhatWasCommitted(BloomFilter<Long> survivor) throws SQLException {
    site.others().admin(survivor.name()).fold();
    state().verifyFolded();
  }

  @Override
  public void close() {
    openedAfterwards.forEach(BloomFilter::close);
  }
}
