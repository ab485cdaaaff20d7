package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.Calls.get;
import static io.github.slotbloom.testing.Calls.inBackground;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.LostCommit;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The connection breaks after COMMIT was sent. The outcome is found out rather than guessed; where
 * it cannot be known, an exception says so.
 */
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@Tag("mysql")
class LostCommitIT {

  private static final String APPEND = "insert.* into `bloom_journal`";

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static SlotBloom there;

  private static String reserve(Use use) {
    return reserve(use, Use.CAPACITY);
  }

  private static String reserve(Use use, long capacity) {
    String name = newName();
    there.reserve(name, use.spec(KeyType.text(), capacity)).close();
    return name;
  }

  private static BloomFilter<String> open(BehindNetwork here, String name, Use use) {
    return use.open(here.bloom(), name);
  }

  private static BloomFilter<String> openThere(String name) {
    return there.open(name, KeyType.text());
  }

  /** Adds, loses the COMMIT that belongs to it, and returns what is answered all the same. */
  private static <T> T losing(LostCommit lost, BehindNetwork here, Callable<T> call)
      throws Exception {
    CompletableFuture<Trap> commit = here.trapCommitAfter(APPEND, lost.place);
    CompletableFuture<T> answer = inBackground(call);
    lost.happenTo(get(commit), sql);
    return get(answer);
  }

  private static void assertRecorded(String name, long entries, long keys) throws SQLException {
    assertThat(
            sql.rows(
                    "SELECT COUNT(*), COALESCE(MAX(seq), 0), SUM(LENGTH(payload)) DIV 8,"
                        + " f.last_seq, f.keys_added FROM bloom_filter_status f"
                        + " LEFT JOIN bloom_journal j ON j.filter_id = f.filter_id AND j.seq > 0"
                        + " WHERE f.name = ? GROUP BY f.filter_id, f.last_seq, f.keys_added",
                    name)
                .get(0))
        .containsExactly("" + entries, "" + entries, "" + keys, "" + entries, "" + keys);
  }

  @ParameterizedTest
  @CsvSource({"MIRRORED, CARRIED_OUT_LATE", "MIRRORED, ANSWER_LOST", "DIRECT, ROLLED_BACK"})
  void anAddIsRecordedOnceAndAnsweredOnce(Use use, LostCommit lost) throws Exception {
    String name = reserve(use);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, use);
      assertThat(losing(lost, here, () -> filter.add("x"))).isTrue();
      assertRecorded(name, 1, 1);
      assertThat(filter.add("x")).isFalse();
      assertThat(filter.mightContain("x")).isTrue();
      assertThat(openThere(name).add("x")).isFalse();
      assertThat(filter.add("y")).isTrue();
      assertRecorded(name, 2, 2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void severalEntriesOfOneTransactionAreRecordedOnce(LostCommit lost) throws Exception {
    // Room for all, or it would grow on the way.
    String name = reserve(Use.MIRRORED, 9_000);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, Use.MIRRORED);
      List<String> keys = keys("key ", 9_000);
      assertThat(losing(lost, here, () -> filter.addEach(keys))).containsOnly(true);
      assertRecorded(name, 2, keys.size());
      assertThat(filter.addEach(keys)).containsOnly(false);
      assertThat(openThere(name).addEach(keys)).containsOnly(false);
    }
  }

  @ParameterizedTest
  @EnumSource
  void callersOfOneTransactionGetTheirOwnAnswers(LostCommit lost) throws Exception {
    String name = reserve(Use.MIRRORED);
    openThere(name).add("known");
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = here.bloom().open(name, KeyType.text(), Use.DIRECT.options());
      List<CompletableFuture<Boolean>> answers = new ArrayList<>();
      CompletableFuture<Trap> commit;
      try (Connection lock = ByHand.holdingLockOf(name, schema.dataSource().getConnection())) {
        answers.add(filter.addAsync("first"));
        LockWaits.awaitOneForAFilter(sql);
        answers.add(filter.addAsync("twice"));
        answers.add(filter.addAsync("twice"));
        answers.add(filter.addAsync("known"));
        answers.add(filter.addAsync("once"));
        Trap first = here.network().trap(Trap.Place.BEFORE_SERVER, APPEND);
        lock.rollback();
        first.caught().get(60, TimeUnit.SECONDS);
        // The first was alone in its transaction; the COMMIT of the next one gets lost.
        commit = here.trapCommitAfter(APPEND, lost.place);
        first.release();
      }
      lost.happenTo(get(commit), sql);
      List<Boolean> told = new ArrayList<>();
      for (CompletableFuture<Boolean> answer : answers) {
        told.add(get(answer));
      }
      assertThat(told).containsExactly(true, true, false, false, true);
      assertRecorded(name, 3, 4);
    }
  }

  /** Its token decides, and it may have the same key. */
  @ParameterizedTest
  @EnumSource
  void anEntryOfAnotherProcessIsNotTakenForALostTransaction(Use use) throws Exception {
    String name = reserve(use);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, use);
      CompletableFuture<boolean[]> answers =
          whileTheOutcomeIsLookedUp(
              here,
              false,
              () -> filter.addEach(List.of("mine", "both")),
              () -> assertThat(openThere(name).add("both")).isTrue());
      assertThat(get(answers)).containsExactly(true, false);
      assertRecorded(name, 2, 2);
      assertThat(openThere(name).addEach(List.of("mine", "both"))).containsOnly(false);
    }
  }

  @Test
  void anAddFindsItsOwnEntryBelowLaterOnes() throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, Use.MIRRORED);
      CompletableFuture<Boolean> answer =
          whileTheOutcomeIsLookedUp(
              here, true, () -> filter.add("x"), () -> openThere(name).add("y"));
      assertThat(get(answer)).isTrue();
      assertRecorded(name, 2, 2);
    }
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void anEntryThatAFailoverLostAndOverwroteIsWrittenAgain() throws Exception {
    String name = reserve(Use.MIRRORED);
    Backup replica = Backup.of(schema.dataSource(), name);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, Use.MIRRORED);
      CompletableFuture<Boolean> answer =
          whileTheOutcomeIsLookedUp(
              here,
              true,
              () -> filter.add("x"),
              () -> {
                replica.restore(schema.dataSource());
                assertThat(openThere(name).add("y")).isTrue();
                assertThat(openThere(name).add("z")).isTrue();
              });
      assertThat(get(answer)).isTrue();
      assertRecorded(name, 3, 3);
      assertThat(openThere(name).addEach(List.of("x", "y", "z"))).containsOnly(false);
    }
  }

  /** What may become of the entry of an add before its writer looks. */
  private enum Loss {
    TRIMMED(
        "DELETE j FROM bloom_journal j JOIN bloom_filter ON id = filter_id WHERE name = ? AND seq >"
            + " 0"),
    DROPPED("DELETE FROM bloom_filter WHERE name = ?");

    private final String statement;

    Loss(String statement) {
      this.statement = statement;
    }
  }

  @ParameterizedTest
  @EnumSource
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void anAddWithoutATraceHasAnUnknownOutcome(Loss loss) throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, Use.MIRRORED);
      CompletableFuture<Boolean> answer =
          whileTheOutcomeIsLookedUp(
              here, true, () -> filter.add("x"), () -> sql.run(loss.statement, name));
      ExecutionException failed = catchThrowableOfType(ExecutionException.class, () -> get(answer));
      assertThat(failed.getCause())
          .isInstanceOfSatisfying(
              WriteFailedException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN))
          .hasMessageContainingAll(name, "may have been recorded", "Add them again");
    }
    sql.run("DELETE FROM bloom_filter WHERE name = ?", name);
  }

  /** Its journal says what became of it, and the key is gone as all others are. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void anAddAroundAClearIsAnsweredByItsOwnEntry(boolean committed) throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, Use.MIRRORED);
      CompletableFuture<Boolean> answer =
          whileTheOutcomeIsLookedUp(
              here, committed, () -> filter.add("x"), () -> there.admin(name).clear());
      assertThat(get(answer)).isTrue();
      // What was committed before the clear went with it; what was not is written after it.
      assertThat(filter.mightContain("x")).isEqualTo(!committed);
      assertThat(openThere(name).add("x")).isEqualTo(committed);
      assertThat(filter.add("x")).isFalse();
      assertThat(there.info(name).keysAdded()).isEqualTo(1);
    }
  }

  private interface Interlude {
    void play() throws Exception;
  }

  /** Loses a COMMIT, and lets others work before the outcome is looked up. */
  private static <T> CompletableFuture<T> whileTheOutcomeIsLookedUp(
      BehindNetwork here, boolean committed, Callable<T> add, Interlude others) throws Exception {
    CompletableFuture<Trap> commits =
        here.trapCommitAfter(
            APPEND, committed ? Trap.Place.BEFORE_CLIENT : Trap.Place.BEFORE_SERVER);
    CompletableFuture<T> answer = inBackground(add);
    Trap commit = get(commits);
    commit.caught().get(60, TimeUnit.SECONDS);
    Trap lookUp = here.network().trap(Trap.Place.BEFORE_SERVER, "from `bloom_filter`.*for update");
    commit.cut();
    lookUp.caught().get(60, TimeUnit.SECONDS);
    others.play();
    assertThat(answer).isNotDone();
    lookUp.release();
    return answer;
  }

  @ParameterizedTest
  @EnumSource
  @ExpectedLog("weak durability: sync_binlog is 0")
  void anAnswerSeenWaitsForADurableCommitWhereVisibleIsNotDurable(Use use, TestDatabase database)
      throws Exception {
    String name = reserve(use);
    Sql admin = new Sql(database.admin());
    admin.run("SET GLOBAL sync_binlog = 0");
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, use);
      for (Trap.Place place : Trap.Place.values()) {
        String key = "seen " + place;
        assertThat(openThere(name).add(key)).isTrue();
        assertThat(filter.mightContain(key)).isTrue();
        CompletableFuture<Trap> commits = here.trapCommitAfter("durable_ticks", place);
        CompletableFuture<Boolean> answer = inBackground(() -> filter.add(key));
        Trap commit = get(commits);
        commit.caught().get(60, TimeUnit.SECONDS);
        // The tick of the one whose COMMIT is lost does not count.
        Trap again = here.network().trap(Trap.Place.BEFORE_SERVER, "durable_ticks");
        commit.cut();
        again.caught().get(60, TimeUnit.SECONDS);
        assertThat(answer).isNotDone();
        again.release();
        assertThat(get(answer)).isFalse();
      }
    } finally {
      admin.run("SET GLOBAL sync_binlog = 1");
    }
    assertRecorded(name, 3, 3);
  }

  @Test
  void aFilterIsReservedEvenIfOthersUseItFirst() throws Exception {
    String name = newName();
    try (BehindNetwork here = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4))) {
      CompletableFuture<Trap> commits =
          here.trapCommitAfter(
              "update `bloom_filter` set `bloom_filter`.`state`", Trap.Place.BEFORE_CLIENT);
      CompletableFuture<BloomFilter<String>> reserved =
          inBackground(() -> here.bloom().reserve(name, Use.MIRRORED.spec(KeyType.text())));
      Trap commit = get(commits);
      commit.caught().get(60, TimeUnit.SECONDS);
      assertThat(openThere(name).add("x")).isTrue();
      commit.cut();
      assertThat(get(reserved).add("x")).isFalse();
      assertRecorded(name, 1, 1);
    }
  }
}
