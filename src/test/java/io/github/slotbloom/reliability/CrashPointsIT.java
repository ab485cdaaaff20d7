package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process, or the server, is killed at every step of everything that changes a filter.
 *
 * <p>Every build takes each point once, with one of the two kills on one of the databases. {@code
 * -Dslotbloom.test.long=true} takes each with both kills on all of them.
 */
@DatabaseContract
@Timeout(120)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class CrashPointsIT {

  private static final long CAPACITY = 50_000;

  private static final List<Long> ACKNOWLEDGED = keys(1, 50);
  private static final List<Long> AT_STAKE = keys(101, 103);
  private static final List<Long> NEVER_ADDED = keys(1_000_001, 1_000_200);

  private static final int MOST_ASKED = 500;
  private static final Runnable NOTHING = () -> {};

  private static final AtomicInteger number = new AtomicInteger();

  private static TestDatabase database;
  private static CrashSite site;
  private static DataSource tables;
  private static Sql sql;
  private static SlotBloom others;

  private final String name = "crash_" + number.incrementAndGet();
  private final List<BloomFilter<Long>> openedAfterwards = new ArrayList<>();

  @BeforeDatabase
  static void start(TestDatabase like) throws Exception {
    database = like;
    site = new CrashSite(like);
    tables = site.schema().dataSource();
    sql = new Sql(tables);
    others = SlotBloom.on(site.schema().pool(pool -> pool.setMaximumPoolSize(4)));
    others.migrate();
  }

  @AfterDatabase
  static void end() throws Exception {
    others.close();
    site.close();
  }

  @AfterEach
  void heal() {
    openedAfterwards.forEach(BloomFilter::close);
    site.heal();
  }

  /** Every point with every kill; in the short form each point once, and the kills in turns. */
  private static <P extends Enum<P>> Stream<Arguments> with(P[] points) {
    List<Arguments> cases = new ArrayList<>();
    for (P point : points) {
      if (database.takes(point.ordinal())) {
        Kill[] kills = Kill.values();
        if (DatabaseContract.LONG) {
          Stream.of(kills).map(kill -> Arguments.of(point, kill)).forEach(cases::add);
        } else {
          cases.add(Arguments.of(point, kills[point.ordinal() / 2 % kills.length]));
        }
      }
    }
    return cases.stream();
  }

  static Stream<Kill> kills() {
    return Stream.of(Kill.values()).filter(kill -> database.takes(kill.ordinal()));
  }

  private static List<Long> keys(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  /** Where an add is interrupted. */
  enum AddPoint {
    BEFORE_THE_JOURNAL(Catch.before("insert into .bloom_journal"), false),
    BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_journal"), false),
    AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_journal"), true),
    ALONE_BEFORE_THE_JOURNAL(Catch.before("insert into .bloom_journal"), false),
    ALONE_HALF_WAY(Catch.halfWay("insert into .bloom_journal"), false),
    ALONE_AFTER_THE_JOURNAL(Catch.after("insert into .bloom_journal"), true);

    private final Catch where;
    private final boolean recorded;

    AddPoint(Catch where, boolean recorded) {
      this.where = where;
      this.recorded = recorded;
    }

    /** Whether the process has added by itself before, so that it takes the shorter way. */
    boolean alone() {
      return name().startsWith("ALONE");
    }
  }

  static Stream<Arguments> adds() {
    return with(AddPoint.values());
  }

  @ParameterizedTest
  @MethodSource("adds")
  void anAddIsThereWhollyOrNotAtAll(AddPoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve();
    Optional<String> answer =
        site.crash(
            kill,
            point.alone() ? List.of("open " + name, "each 2001..2004") : List.of("open " + name),
            point.where,
            List.of("add 101..103"),
            this::verifyTables);
    assertThat(answer).isIn(Optional.empty(), Optional.of("3"));
    // Who lives through it plays it again where it is lost.
    boolean recorded = point.recorded || kill == Kill.SERVER;
    assertThereWhollyOrNotAtAll(survivor, AT_STAKE, recorded);
    assertWhatWasAcknowledgedIsFound(survivor);
    assertRetried(survivor, AT_STAKE, !recorded);
  }

  @ParameterizedTest
  @MethodSource("kills")
  void ofSeveralTransactionsEachIsThereWhollyOrNotAtAll(Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve();
    long first = 1001;
    long inFirst = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    long last = first + inFirst + 99;
    Optional<String> answer =
        site.crash(
            kill,
            List.of("open " + name),
            Catch.before("insert into .bloom_journal", 1),
            List.of("add " + first + ".." + last),
            NOTHING);
    assertThat(answer).isIn(Optional.empty(), Optional.of("" + (inFirst + 100)));
    boolean recorded = kill == Kill.SERVER;
    assertThereWhollyOrNotAtAll(survivor, keys(first, first + inFirst - 1), true);
    assertThereWhollyOrNotAtAll(survivor, keys(first + inFirst, last), recorded);
    assertWhatWasAcknowledgedIsFound(survivor);
    assertRetried(survivor, keys(first + inFirst, last), !recorded);
  }

  /** Where the COMMIT of a caller's own transaction is interrupted. */
  enum CallersPoint {
    BEFORE_COMMIT(Catch.before("^commit"), false),
    AFTER_COMMIT(Catch.after("^commit"), true);

    private final Catch where;
    private final boolean recorded;

    CallersPoint(Catch where, boolean recorded) {
      this.where = where;
      this.recorded = recorded;
    }
  }

  static Stream<Arguments> callers() {
    return with(CallersPoint.values());
  }

  @ParameterizedTest
  @MethodSource("callers")
  void addsWithinATransactionShareItsFate(CallersPoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve();
    Optional<String> answer =
        site.crash(kill, List.of("open " + name), point.where, List.of("within 101..103"), NOTHING);
    // Only the caller could repeat it.
    answer.ifPresent(said -> assertThat(said).startsWith("failed: "));
    assertThereWhollyOrNotAtAll(survivor, AT_STAKE, point.recorded);
    assertWhatWasAcknowledgedIsFound(survivor);
    assertRetried(survivor, AT_STAKE, !point.recorded);
  }

  /** Where folding is interrupted. */
  enum FoldPoint {
    BETWEEN_SLOTS(Catch.before("insert into .bloom_bits", 1)),
    BEFORE_THE_FOLD_ROW(Catch.before("update .bloom_fold")),
    BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_fold")),
    AFTER_COMMIT(Catch.afterCommitOf("update .bloom_fold"));

    private final Catch where;

    FoldPoint(Catch where) {
      this.where = where;
    }
  }

  static Stream<Arguments> folds() {
    return with(FoldPoint.values());
  }

  @ParameterizedTest
  @MethodSource("folds")
  void whatIsBeingFoldedIsFoldedOnce(FoldPoint point, Kill kill) throws Exception {
    List<Long> backlog = leaveBacklog();
    List<BloomFilter<Long>> opened = new ArrayList<>();
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            point.where,
            // Opening it begins to fold already.
            List.of("open " + name, "fold"),
            () -> {
              // The server ends a silent victim, and its lock, after some seconds.
              if (point != FoldPoint.AFTER_COMMIT) {
                assertThat(isFoldLockHeld()).as("the lock of the victim").isTrue();
              }
              verifyTables();
              // Who opened it sooner would fold, too.
              opened.add(others.open(name, KeyType.longs()));
            });
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    BloomFilter<Long> survivor = opened.get(0);
    assertThereWhollyOrNotAtAll(survivor, backlog, true);
    assertWhatWasAcknowledgedIsFound(survivor);
    assertFoldsToWhatWasCommitted(survivor);
  }

  /** Adds keys that nobody folds; they fill more slots than one statement writes. */
  private List<Long> leaveBacklog() throws SQLException {
    try (SlotBloom maker = SlotBloom.on(tables)) {
      reserve(maker, CAPACITY).close();
    }
    List<Long> added = new ArrayList<>();
    FilterState state;
    do {
      try (SlotBloom maker = SlotBloom.on(tables);
          BloomFilter<Long> filter = maker.open(name, KeyType.longs());
          Connection connection = tables.getConnection()) {
        connection.setAutoCommit(false);
        // Two entries.
        for (int i = 0; i < 2; i++) {
          List<Long> more = keys(2001 + added.size(), 2250 + added.size());
          filter.within(connection).addEach(more);
          added.addAll(more);
        }
        connection.commit();
      }
      // A heartbeat may have had it folded before all was closed. Nobody does so from here on.
      state = FilterState.read(tables, name);
    } while (state.foldedSeq() == state.lastSeq());
    return added;
  }

  /** Where trimming is interrupted. */
  enum TrimPoint {
    BEFORE_THE_ROWS(Catch.before("delete from .bloom_journal")),
    BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_journal")),
    AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_journal"));

    private final Catch where;

    TrimPoint(Catch where) {
      this.where = where;
    }
  }

  static Stream<Arguments> trims() {
    return with(TrimPoint.values());
  }

  @ParameterizedTest
  @MethodSource("trims")
  void trimmingTakesNothingThatIsNeeded(TrimPoint point, Kill kill) throws Exception {
    List<Long> backlog = leaveBacklog();
    sql.run(
        "UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR WHERE filter_id ="
            + " (SELECT id FROM bloom_filter WHERE name = ?)",
        name);
    List<BloomFilter<Long>> opened = new ArrayList<>();
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            point.where,
            List.of("trim " + name),
            () -> opened.add(others.open(name, KeyType.longs())));
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    FilterState state = FilterState.readTrimmed(tables, name);
    state.verify();
    assertThat(state.journaledEntries()).isPositive();
    for (List<Long> added : List.of(ACKNOWLEDGED, backlog)) {
      assertThat(added).allMatch(key -> state.contains(state.hash(key)));
      assertEverywhere(opened.get(0), added, true);
    }
    assertEverywhere(opened.get(0), NEVER_ADDED, false);
    opened.get(0).fold();
    FilterState.readTrimmed(tables, name).verifyFolded();
  }

  @ParameterizedTest
  @MethodSource("kills")
  void aMirrorThatIsBeingLoadedHoldsWhatWasAddedMeanwhile(Kill kill) throws Exception {
    // So many slots that they are read in several ranges.
    BloomFilter<Long> survivor = reserve(others, 10 * CAPACITY);
    Optional<String> answer =
        site.crash(
            kill,
            List.of(),
            Catch.before("select count.*bloom_bits_.* >= ", 1),
            List.of("open " + name, "ask 1..103"),
            () -> {
              survivor.addEach(AT_STAKE);
              survivor.fold();
            });
    int asked = 103;
    int added = ACKNOWLEDGED.size() + AT_STAKE.size();
    assertThat(asked).isGreaterThan(added);
    assertThat(answer).isIn(Optional.empty(), Optional.of("" + added));
    assertThereWhollyOrNotAtAll(survivor, AT_STAKE, true);
    assertWhatWasAcknowledgedIsFound(survivor);
    assertFoldsToWhatWasCommitted(survivor);
  }

  /** Where making a filter is interrupted. */
  enum ReservePoint {
    BEFORE_THE_TABLE(Catch.before("create table.*bloom_bits_"), false),
    AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), false),
    BEFORE_ACTIVATION(Catch.before("update .bloom_filter.*'ACTIVE'"), false),
    AFTER_ACTIVATION(Catch.afterCommitOf("update .bloom_filter.*'ACTIVE'"), true);

    private final Catch where;
    private final boolean made;

    ReservePoint(Catch where, boolean made) {
      this.where = where;
      this.made = made;
    }
  }

  static Stream<Arguments> reservations() {
    return with(ReservePoint.values());
  }

  @ParameterizedTest
  @MethodSource("reservations")
  void aFilterIsMadeOrCanBeMadeByAnother(ReservePoint point, Kill kill) throws Exception {
    String command = "reserve " + name + " " + CAPACITY;
    Optional<String> answer = site.crash(kill, List.of(), point.where, List.of(command), NOTHING);
    if (kill == Kill.PROCESS) {
      assertThat(others.list().contains(name)).isEqualTo(point.made);
    }
    if (answer.equals(Optional.of("ok"))) {
      assertThat(others.list()).contains(name);
    }
    // As if some time had passed.
    sql.run("UPDATE bloom_filter SET created_at = '2000-01-01' WHERE name = ?", name);
    BloomFilter<Long> filter = others.openOrReserve(name, FilterCommands.spec(CAPACITY));
    assertThat(filter.info().generations()).hasSize(1);
    assertThat(filter.info().generations().get(0).number()).isEqualTo(1);
    assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
    assertWhatWasAcknowledgedIsFound(filter);
    assertFoldsToWhatWasCommitted(filter);
  }

  /** Where clearing is interrupted. */
  enum ClearPoint {
    BEFORE_THE_NEW_EPOCH(Catch.beforeCommitOf("update .bloom_fold"), "ACTIVE", 1),
    AFTER_THE_NEW_EPOCH(Catch.afterCommitOf("update .bloom_fold"), "CLEARING", 2),
    AFTER_SLOTS(Catch.after("delete from .bloom_bits"), "CLEARING", 2),
    BEFORE_THE_JOURNAL(Catch.before("delete from .bloom_journal"), "CLEARING", 2),
    BEFORE_THE_END(Catch.beforeCommitOf("update .bloom_filter.*'ACTIVE'"), "CLEARING", 2),
    AFTER_THE_END(Catch.afterCommitOf("update .bloom_filter.*'ACTIVE'"), "ACTIVE", 2);

    private final Catch where;
    private final String state;
    private final long epoch;

    ClearPoint(Catch where, String state, long epoch) {
      this.where = where;
      this.state = state;
      this.epoch = epoch;
    }
  }

  static Stream<Arguments> clears() {
    return with(ClearPoint.values());
  }

  @ParameterizedTest
  @MethodSource("clears")
  void aClearTakesPlaceOnceItHasBegunAndAnyoneMayEndIt(ClearPoint point, Kill kill)
      throws Exception {
    BloomFilter<Long> survivor = reserve();
    Optional<String> answer =
        site.crash(kill, List.of("open " + name), point.where, List.of("clear"), NOTHING);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    if (kill == Kill.PROCESS) {
      FilterState left = FilterState.read(tables, name);
      left.verify();
      assertThat(left.state()).isEqualTo(point.state);
      assertThat(left.epoch()).isEqualTo(point.epoch);
      if (left.epoch() == 1) {
        assertWhatWasAcknowledgedIsFound(survivor);
      }
      others.admin().clear(name);
    }
    FilterState cleared = FilterState.read(tables, name);
    cleared.verifyFolded();
    assertThat(cleared.state()).isEqualTo("ACTIVE");
    assertThat(cleared.keysAdded()).isZero();
    assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, false);
    assertRetried(survivor, ACKNOWLEDGED, true);
  }

  /** Where dropping is interrupted. */
  enum DropPoint {
    AFTER_THE_MARK(Catch.afterCommitOf("update .bloom_fold")),
    BEFORE_THE_TABLE(Catch.before("drop table.*_v1")),
    AFTER_THE_TABLE(Catch.after("drop table.*_v1")),
    BEFORE_THE_JOURNAL(Catch.before("delete from .bloom_journal")),
    BEFORE_THE_ROWS(Catch.before("delete from .bloom_filter")),
    AFTER_THE_ROWS(Catch.afterCommitOf("delete from .bloom_filter"));

    private final Catch where;

    DropPoint(Catch where) {
      this.where = where;
    }
  }

  static Stream<Arguments> drops() {
    return with(DropPoint.values());
  }

  @ParameterizedTest
  @MethodSource("drops")
  void aDropCanBeEndedByAnother(DropPoint point, Kill kill) throws Exception {
    BloomFilter<Long> survivor = reserve();
    long id = survivor.info().id();
    Optional<String> answer =
        site.crash(kill, List.of(), point.where, List.of("drop " + name), NOTHING);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    assertThat(others.list()).doesNotContain(name);
    assertThatThrownBy(() -> survivor.addEach(AT_STAKE))
        .isInstanceOf(FilterNotFoundException.class);
    if (answer.isEmpty() && point != DropPoint.AFTER_THE_ROWS) {
      others.admin().drop(name);
    }
    assertThatThrownBy(() -> others.admin().drop(name)).isInstanceOf(FilterNotFoundException.class);
    assertThat(sql.texts("SHOW TABLES LIKE '%\\_" + name + "\\_%'")).isEmpty();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ?", id)).isZero();
    BloomFilter<Long> second = reserve();
    assertThat(second.info().generations().get(0).number()).isEqualTo(2);
    assertWhatWasAcknowledgedIsFound(second);
  }

  private BloomFilter<Long> reserve() throws SQLException {
    return reserve(others, CAPACITY);
  }

  /** Makes a filter that holds the acknowledged keys, folded, so that nobody folds by himself. */
  private BloomFilter<Long> reserve(SlotBloom bloom, long capacity) throws SQLException {
    bloom.reserve(name, FilterCommands.spec(capacity)).close();
    ShortLease.of(name, sql);
    BloomFilter<Long> filter = bloom.open(name, KeyType.longs());
    assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
    filter.fold();
    return filter;
  }

  private boolean isFoldLockHeld() {
    try {
      return RowLock.FOLD.isHeld(sql, name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void verifyTables() {
    try {
      FilterState.read(tables, name).verify();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Wherever one looks. */
  private void assertThereWhollyOrNotAtAll(
      BloomFilter<Long> survivor, List<Long> keys, boolean recorded) throws SQLException {
    FilterState state = FilterState.read(tables, name);
    state.verify();
    assertThat(keys)
        .allMatch(key -> state.contains(state.hash(key)) == recorded, "in the tables " + recorded);
    assertEverywhere(survivor, keys, recorded);
  }

  /** Also that mirrors hold no more than the tables do. */
  private void assertWhatWasAcknowledgedIsFound(BloomFilter<Long> survivor) throws SQLException {
    assertThereWhollyOrNotAtAll(survivor, ACKNOWLEDGED, true);
    assertThereWhollyOrNotAtAll(survivor, NEVER_ADDED, false);
  }

  private void assertEverywhere(BloomFilter<Long> survivor, List<Long> keys, boolean found) {
    if (openedAfterwards.isEmpty()) {
      openedAfterwards.add(others.open(name, KeyType.longs()));
      FilterOptions direct = FilterOptions.defaults().withoutMirror();
      openedAfterwards.add(others.open(name, KeyType.longs(), direct));
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
  private void assertRetried(BloomFilter<Long> survivor, List<Long> keys, boolean areNew)
      throws SQLException {
    long before = FilterState.read(tables, name).keysAdded();
    try (BloomFilter<Long> another = others.open(name, KeyType.longs())) {
      assertThat(another.addEach(keys)).containsOnly(areNew);
    }
    FilterState state = FilterState.read(tables, name);
    assertThat(state.keysAdded() - before).isEqualTo(areNew ? keys.size() : 0);
    long first = state.hash(keys.get(0));
    assertThat(LongStream.of(state.hashes()).filter(hash -> hash == first)).hasSize(1);
    assertEverywhere(survivor, keys, true);
    assertFoldsToWhatWasCommitted(survivor);
  }

  private void assertFoldsToWhatWasCommitted(BloomFilter<Long> survivor) throws SQLException {
    survivor.fold();
    FilterState.read(tables, name).verifyFolded();
  }
}
