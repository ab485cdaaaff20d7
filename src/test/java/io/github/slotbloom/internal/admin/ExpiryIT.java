package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.Exports.export;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A filter that expires is gone for everybody at that moment by the database clock, can be restored
 * for a while, and is removed by the next process that notices.
 */
@OddHours
@DatabaseContract(shortLeases = true)
// Leases are so short here that tables can go before what was added last is folded.
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Timeout(300)
@Tag("mysql")
class ExpiryIT {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration MOST_THAT_CLOSING_WAITS = Duration.ofSeconds(10);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Instances instances;
  @Fixture private static Sql sql;

  private static Instant tomorrow;

  @BeforeDatabase
  static void readClock() {
    tomorrow = here.databaseTime().plus(DAY);
  }

  private static FilterSpec<String> spec() {
    return FilterSpec.builder(KeyType.text())
        .capacity(Use.CAPACITY)
        .falsePositiveRate(1e-9)
        .expiresAt(tomorrow)
        .build();
  }

  private static BloomFilter<String> reserve(String name) {
    return here.reserve(name, spec());
  }

  /** Only the row changes, as if the time had passed. */
  private static void passTime(String name) throws SQLException {
    sql.run(
        "UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE name = ?",
        name);
  }

  /** As if that much time had passed since the filter expired, and since that was noticed. */
  private static void passTimeSinceNoticed(String name, Duration time) throws SQLException {
    sql.run(
        "UPDATE bloom_filter SET expires_at = expires_at - INTERVAL ? SECOND,"
            + " expiry_noticed_at = expiry_noticed_at - INTERVAL ? SECOND WHERE name = ?",
        time.toSeconds(),
        time.toSeconds(),
        name);
  }

  private static void awaitNoticed(String name) {
    await()
        .until(
            () ->
                sql.number(
                        "SELECT COUNT(*) FROM bloom_filter WHERE name = ?"
                            + " AND expiry_noticed_at IS NOT NULL",
                        name)
                    == 1);
  }

  private static long rows(String name) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM bloom_filter WHERE name = ?", name);
  }

  private static void awaitRemoved(String name) {
    await()
        .untilAsserted(
            () -> {
              assertThat(rows(name)).isZero();
              assertThat(schema.slotTables(name)).isEmpty();
            });
  }

  private static Optional<Instant> expiry(String name) {
    return there.list().stream()
        .filter(filter -> filter.name().equals(name))
        .flatMap(filter -> filter.expiresAt().stream())
        .findFirst();
  }

  @Test
  void anExpiredFilterExistsForNoClient() throws Exception {
    String name = "gone";
    BloomFilter<String> mine = reserve(name);
    BloomFilter<String> theirs = there.open(name, KeyType.text());
    assertThat(mine.add("a")).isTrue();
    assertThat(theirs.mightContain("a")).isTrue();
    assertThat(here.info(mine.name()).expiresAt()).contains(tomorrow);
    long entries = sql.number("SELECT COUNT(*) FROM bloom_journal");

    passTime(name);

    String when = expiry(name).orElseThrow().toString();
    String text = "expired at " + when.replace("T", " ").replace("Z", " UTC");
    try (Connection transaction = schema.dataSource().getConnection()) {
      transaction.setAutoCommit(false);
      for (BloomFilter<String> filter : List.of(mine, theirs)) {
        await()
            .untilAsserted(
                () ->
                    assertThatThrownBy(() -> filter.mightContain("a"))
                        .isInstanceOf(FilterNotFoundException.class));
        for (ThrowingCallable call : Calls.ofEachKind(filter, transaction)) {
          assertThatThrownBy(call)
              .isInstanceOf(FilterNotFoundException.class)
              .hasMessageContaining(name)
              .hasMessageContaining(text)
              .hasMessageContaining("Create it again");
        }
      }
      transaction.rollback();
    }
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> there.open(name, KeyType.text()),
            () -> there.open(name, spec()),
            () -> there.info(name),
            () -> there.admin(name).verify(VerifyOptions.defaults()),
            () -> there.admin(name).inspect(1),
            () -> there.admin(name).grow(1_000_000),
            () -> there.admin(name).fold(),
            () -> there.admin(name).clear(),
            () -> there.admin(name).exportTo(new ByteArrayOutputStream()),
            () -> there.admin(name).copyTo("copy_of_" + name))) {
      assertThatThrownBy(call)
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining(text);
    }
    assertThat(there.names()).doesNotContain(name);
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_journal")).isEqualTo(entries);
    assertThat(sql.text("SELECT state FROM bloom_filter_status WHERE name = ?", name))
        .isEqualTo("EXPIRED");
  }

  @Test
  void theProcessThatWroteLastIsRefusedThoughItKnowsOfNoTime() {
    FilterSpec<String> plain = FilterSpec.builder(KeyType.text()).capacity(100).build();
    BloomFilter<String> alone = here.reserve("no_time", plain);
    assertThat(alone.addEach(List.of("a", "b"))).containsOnly(true);
    assertThat(alone.add("c")).isTrue();
    there.admin("no_time").expireAt(tomorrow.minus(DAY));
    assertThatThrownBy(() -> alone.add("d"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("expired at");
  }

  @Test
  void aFirstAddByTheProcessThatWroteLastIsRefusedInItsOneStatement() throws SQLException {
    BloomFilter<String> alone = reserve("alone");
    for (String key : List.of("a", "b", "c")) {
      assertThat(alone.add(key)).isTrue();
    }
    passTime("alone");
    assertThatThrownBy(() -> alone.add("d"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("expired at");
    here.admin("alone").neverExpire();
    await().ignoreExceptions().until(() -> alone.add("d"));
    assertThat(here.info(alone.name()).keysAdded()).isEqualTo(4);
  }

  @Test
  void moreTimeBringsAFilterBackWhole() {
    String name = "back";
    BloomFilter<String> filter = reserve(name);
    List<String> keys = IntStream.range(0, 300).mapToObj(i -> "key " + i).toList();
    filter.addEach(keys);
    here.admin(name).expireAt(here.databaseTime().minus(DAY));
    assertThatThrownBy(() -> filter.add("late")).isInstanceOf(FilterNotFoundException.class);
    assertThat(expiry(name)).as("it is listed while it can be restored").isPresent();

    there.admin(name).expireAt(tomorrow.plus(DAY));

    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    assertThat(filter.add("late")).isTrue();
    assertThat(there.open(name, KeyType.text()).mightContain("late")).isTrue();
    assertThat(there.info(name).expiresAt()).contains(tomorrow.plus(DAY));
    assertThat(there.names()).contains(name);
    assertThat(there.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();

    there.admin(name).neverExpire();
    assertThat(there.info(name).expiresAt()).isEmpty();
    assertThat(filter.add("later")).isTrue();
  }

  @Test
  void theTablesGoAnHourAfterSomebodyNoticed() throws SQLException {
    reserve("hour").close();
    passTime("hour");
    passTimeSinceNoticed("hour", Duration.ofDays(300));
    assertThat(instances.another().names()).doesNotContain("hour");
    awaitNoticed("hour");
    passTimeSinceNoticed("hour", Duration.ofMinutes(59));
    try (SlotBloom another = connect(event -> {})) {
      assertThat(another.names()).doesNotContain("hour");
    }
    assertThat(schema.slotTables("hour")).as("closing waited for what was begun").hasSize(1);
    here.admin("hour").expireAt(tomorrow);
    // Whoever has it open would remove it, too.
    try (BloomFilter<String> used = use("hour")) {
      assertThat(used.add("x")).isTrue();
    }

    passTime("hour");
    instances.another().names();
    awaitNoticed("hour");
    passTimeSinceNoticed("hour", Duration.ofMinutes(61));
    SlotBloom another = connect(event -> {});
    assertThatThrownBy(() -> another.info("hour")).isInstanceOf(FilterNotFoundException.class);
    long begun = System.nanoTime();
    another.close();
    if (System.nanoTime() - begun < MOST_THAT_CLOSING_WAITS.toNanos()) {
      assertThat(rows("hour")).as("closing waited for the removal").isZero();
    }
    awaitRemoved("hour");
    assertThat(schema.slotTables("hour")).isEmpty();
    assertThatThrownBy(() -> here.admin("hour").neverExpire())
        .isInstanceOf(FilterNotFoundException.class);
  }

  private static BloomFilter<String> use(String name) {
    return here.open(name, KeyType.text());
  }

  /** The clock of its sessions is a year ahead. */
  private static SlotBloom leaping() {
    return instances.another(
        pool ->
            pool.setConnectionInitSql("SET timestamp = " + tomorrow.plus(DAY).getEpochSecond()));
  }

  @Test
  void aClockThatLeapsAheadRefusesAndDestroysNothing() throws SQLException {
    BloomFilter<String> filter = reserve("leap");
    filter.add("x");
    SlotBloom leaping = leaping();
    assertThat(leaping.names()).doesNotContain("leap");
    assertThatThrownBy(() -> leaping.open("leap", KeyType.text()))
        .isInstanceOf(FilterNotFoundException.class);
    awaitNoticed("leap");
    SlotBloom again = leaping();
    again.names();
    again.close();
    // The clock is right again.
    assertThat(filter.mightContain("x")).isTrue();
    assertThat(filter.add("y")).isTrue();
    // What was noted by the other clock counts for nothing once it really expires.
    passTime("leap");
    SlotBloom right = connect(event -> {});
    right.names();
    right.close();
    assertThat(
            sql.number(
                "SELECT expiry_noticed_at <= UTC_TIMESTAMP(3) FROM bloom_filter WHERE name ="
                    + " 'leap'"))
        .isOne();
    assertThat(schema.slotTables("leap")).hasSize(1);
  }

  private static SlotBloom connect(SlotBloomListener listener) {
    return SlotBloom.builder(schema.pool(pool -> pool.setMaximumPoolSize(3)))
        .listener(listener)
        .build();
  }

  @Test
  void severalThatNoticeAtOnceRemoveItOnceAndFailNot() throws Exception {
    reserve("several").close();
    passTime("several");
    instances.another().names();
    awaitNoticed("several");
    passTimeSinceNoticed("several", Duration.ofHours(2));
    instances.atOnce(4, SlotBloom::list);
    awaitRemoved("several");
    assertThat(schema.slotTables("several")).isEmpty();
  }

  @Test
  void theNameCanBeReservedAnewAtOnce() throws SQLException {
    String name = "anew";
    BloomFilter<String> old = reserve(name);
    old.add("old");
    passTime(name);
    BloomFilter<String> anew = there.openOrReserve(name, spec());
    assertThat(anew.mightContain("old")).isFalse();
    assertThat(anew.add("old")).isTrue();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1));
    assertThatThrownBy(() -> old.add("b"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("its expiration time was");
    assertThatThrownBy(() -> here.reserve(name, spec())).isInstanceOf(FilterExistsException.class);
    passTime(name);
    there.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
    assertThat(here.info(name).expiresAt()).isEmpty();
  }

  @Test
  void oneOfThoseWhoReserveAnewAtOnceWins() throws Exception {
    reserve("contested").close();
    passTime("contested");
    Queue<BloomFilter<String>> reserved = new ConcurrentLinkedQueue<>();
    Queue<Throwable> refused = new ConcurrentLinkedQueue<>();
    instances.atOnce(
        3,
        bloom -> {
          try {
            reserved.add(bloom.reserve("contested", spec()));
          } catch (FilterExistsException e) {
            refused.add(e);
          }
        });
    assertThat(reserved).hasSize(1);
    assertThat(refused).hasSize(2);
    assertThat(reserved.element().add("x")).isTrue();
  }

  /** What another process leaves that dies after it has dropped the table. */
  @Test
  void aRemovalThatWasCutOffIsFinishedByWhoeverReserves() throws SQLException {
    reserve("cut_off").close();
    passTime("cut_off");
    sql.run("UPDATE bloom_filter SET state = 'DROPPING', epoch = epoch + 1 WHERE name = 'cut_off'");
    sql.run("DROP TABLE " + sql.slots("cut_off", 1));
    assertThatThrownBy(() -> here.admin("cut_off").neverExpire())
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("is being dropped");
    assertThat(there.openOrReserve("cut_off", spec()).add("x")).isTrue();
  }

  @Test
  void itIsNotReservedWithATimeThatHasPassed() throws SQLException {
    FilterSpec<String> late =
        FilterSpec.builder(KeyType.text())
            .capacity(10)
            .expiresAt(here.databaseTime().minusMillis(1))
            .build();
    assertThatThrownBy(() -> here.reserve("late", late))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll("late", "has passed by the database clock");
    assertThat(rows("late")).isZero();
  }

  @Test
  void theTimeIsNotComparedWhenAFilterIsOpened() {
    reserve("compared").close();
    FilterSpec<String> never = Use.MIRRORED.spec(KeyType.text());
    assertThat(here.info(there.openOrReserve("compared", never).name()).expiresAt())
        .contains(tomorrow);
  }

  @Test
  @ExpectedLog(value = "filter kept expired and cannot be used, but its tables", times = 1)
  void whoMayNotDropSaysSoOnceAndNobodyCanUseItAllTheSame() throws SQLException {
    reserve("kept").close();
    passTime("kept");
    instances.another().names();
    awaitNoticed("kept");
    passTimeSinceNoticed("kept", Duration.ofHours(2));
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    try (SlotBloom lacking =
        SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(3)))) {
      assertThat(lacking.names()).doesNotContain("kept");
      assertThatThrownBy(() -> lacking.open("kept", KeyType.text()))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("expired");
      assertThatThrownBy(() -> lacking.reserve("kept", spec()))
          .isInstanceOf(SchemaException.class)
          .hasMessageContaining("DROP");
    }
    assertThat(sql.text("SELECT state FROM bloom_filter WHERE name = 'kept'")).isEqualTo("ACTIVE");
    instances.another().names();
    awaitRemoved("kept");
  }

  @Test
  void theTimeOutlastsGrowthAndAMerge() {
    FilterSpec<String> plain = FilterSpec.builder(KeyType.text()).capacity(100).build();
    BloomFilter<String> filter = here.reserve("changed", plain);
    here.admin("changed").expireAt(tomorrow);
    here.admin("changed").grow(1000);
    here.reserve("changed_from", plain).add("merged");
    here.admin("changed_from").mergeInto("changed");
    assertThat(here.info("changed").expiresAt()).contains(tomorrow);
    assertThat(filter.add("x")).isTrue();
    here.admin("changed").neverExpire();
    assertThat(here.info("changed").expiresAt()).isEmpty();
    assertThat(filter.mightContainEach(List.of("x", "merged"))).containsExactly(true, true);
    assertThat(here.admin("changed").verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aClearKeepsTheTimeAndACopyHasNone() throws Exception {
    BloomFilter<String> filter = reserve("kept_time");
    filter.add("x");
    here.admin(filter.name()).clear();
    assertThat(here.info(filter.name()).expiresAt()).contains(tomorrow);
    filter.add("y");
    here.admin("kept_time").copyTo("copied");
    here.importFrom("imported", new ByteArrayInputStream(export(here, "kept_time")));
    for (String name : List.of("copied", "imported")) {
      assertThat(here.info(name).expiresAt()).isEmpty();
      assertThat(use(name).mightContain("y")).isTrue();
    }
    passTime("kept_time");
    here.admin("copied").copyTo("kept_time");
    assertThat(use("kept_time").mightContain("y")).isTrue();
  }

  @Test
  void aFilterThatExpiredIsNotClearedAndCanBeOnceItIsBack() throws SQLException {
    BloomFilter<String> filter = reserve("clearing");
    filter.add("x");
    passTime("clearing");
    assertThatThrownBy(() -> here.admin(filter.name()).clear())
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("expired");
    here.admin("clearing").expireAt(tomorrow);
    assertThat(filter.add("x")).isFalse();
    here.admin("clearing").clear();
    assertThat(filter.add("x")).isTrue();
  }

  /** It holds the lock of the filter, so it comes before whatever happens to the filter next. */
  @Test
  void aTransactionOfACallerThatBeganBeforeCommits() throws SQLException {
    BloomFilter<String> filter = reserve("caller");
    try (Connection transaction = schema.dataSource().getConnection()) {
      transaction.setAutoCommit(false);
      assertThat(filter.within(transaction).add("x")).isTrue();
      // The row is locked, so that its time comes without anybody writing to it.
      Sql.run(
          transaction,
          "UPDATE bloom_filter SET expires_at = UTC_TIMESTAMP(3) WHERE name = 'caller'");
      transaction.commit();
    }
    assertThatThrownBy(() -> filter.add("y")).isInstanceOf(FilterNotFoundException.class);
    here.admin("caller").neverExpire();
    assertThat(there.open("caller", KeyType.text()).mightContain("x")).isTrue();
  }

  @Test
  void removedKeysStayRemovedAndTheirTableGoesToo() throws SQLException {
    FilterSpec<String> removable =
        FilterSpec.builder(KeyType.text())
            .capacity(1000)
            .retainHashes()
            .expiresAt(tomorrow)
            .buildRemovable();
    BloomFilter<String> filter = here.reserve("removable", removable);
    filter.addEach(List.of("a", "b"));
    assertThat(Removing.from(filter).remove("a")).isTrue();
    passTime("removable");
    assertThatThrownBy(() -> Removing.from(filter).remove("b"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("expired");
    // A "seen" of such a filter is never older than the call.
    assertThatThrownBy(() -> filter.add("b")).isInstanceOf(FilterNotFoundException.class);
    here.admin("removable").expireAt(tomorrow);
    assertThat(filter.mightContainEach(List.of("a", "b"))).containsExactly(false, true);
    passTime("removable");
    there.reserve("removable", Use.MIRRORED.spec(KeyType.text())).close();
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_removed\\_%removable'")).isEmpty();
    assertThat(schema.slotTables("removable")).containsExactly(sql.slots("removable", 1));
  }

  @Test
  void theFunctionInSqlAnswersUntilThen() throws SQLException {
    BloomFilter<String> filter =
        here.reserve(
            "in_sql",
            FilterSpec.builder(KeyType.text())
                .capacity(100)
                .hash(HashAlgorithm.SHA256)
                .expiresAt(tomorrow)
                .build());
    filter.add("x");
    try (Connection connection = schema.dataSource().getConnection()) {
      for (String statement : here.admin("in_sql").functionSql()) {
        Sql.run(connection, statement);
      }
    }
    String ask = "SELECT " + sql.function("in_sql") + "('x')";
    assertThat(sql.number(ask)).isOne();
    assertThat(sql.text("SELECT expires_utc FROM bloom_filter_status WHERE name = 'in_sql'"))
        .startsWith(tomorrow.toString().substring(0, 10));
    passTime("in_sql");
    assertThatThrownBy(() -> sql.number(ask))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("has changed");
  }

  /** Whoever is told that a key is new has it in the filter, and is the only one. */
  @Test
  void noAddIsLostOrDoubledWhereFiltersExpireAndComeBack() throws Exception {
    String name = "race";
    reserve(name).close();
    Set<String> won = ConcurrentHashMap.newKeySet();
    AtomicBoolean ended = new AtomicBoolean();
    List<BloomFilter<String>> filters =
        Stream.generate(() -> instances.another().open(name, KeyType.text())).limit(3).toList();
    Crowd adders =
        Crowd.of(
            filters.size(),
            process -> {
              for (int i = 0; !ended.get() && i < 600; i++) {
                try {
                  if (filters.get(process).add("key " + i)) {
                    assertThat(won.add("key " + i)).as("key " + i).isTrue();
                  }
                } catch (FilterNotFoundException e) {
                  i--;
                }
              }
            });
    try {
      Instant past = here.databaseTime().minus(DAY);
      for (int turn = 0; turn < 5; turn++) {
        here.admin(name).expireAt(past);
        assertThatThrownBy(() -> there.open(name, KeyType.text()))
            .isInstanceOf(FilterNotFoundException.class);
        here.admin(name).expireAt(tomorrow);
        int before = won.size();
        await().until(() -> won.size() > before + 5 || won.size() == 600);
      }
    } finally {
      ended.set(true);
      adders.join(PATIENCE);
    }
    assertThat(won).isNotEmpty();
    assertThat(there.open(name, KeyType.text()).mightContainEach(List.copyOf(won)))
        .containsOnly(true);
    assertThat(there.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    assertThat(there.info(name).keysAdded()).isEqualTo(won.size());
  }
}
