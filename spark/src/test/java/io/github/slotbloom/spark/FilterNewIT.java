package io.github.slotbloom.spark;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.io.Serializable;
import java.lang.Thread.UncaughtExceptionHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each new key of a Dataset comes out once, whatever happens to tasks and commits. */
@DatabaseContract(migrated = true)
@DisabledForJreRange(min = JRE.JAVA_24, disabledReason = "Spark 4.0 runs on Java 17 and 21.")
@PossibleLog(LocalSpark.LOGS)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Timeout(300)
class FilterNewIT {

  private static final int KEYS = 2000;

  /** Keys that are there before. */
  private static final int OLD = 300;

  private static final FilterRun RUN = new FilterRun("run", 100);
  private static final FilterRun OTHER_RUN =
      new FilterRun("A-z:0._".repeat(10).substring(0, 64), 100);
  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(20_000).falsePositiveRate(1e-9).build();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  private static SparkSession spark;

  /** What tasks, which are deserialized in this JVM, find by their names. */
  private static Trouble.AtCommit atCommit;

  private static CountDownLatch opening;
  private static CountDownLatch goOn;

  private static final AtomicInteger COMMITS = new AtomicInteger();
  private static final Queue<HikariDataSource> POOLS = new ConcurrentLinkedQueue<>();

  private final String name = newName();

  @BeforeAll
  static void start() {
    spark = LocalSpark.start();
  }

  @BeforeDatabase
  static void createTable() throws SQLException {
    RunTable.create(schema.dataSource());
    RunTable.create(schema.dataSource());
  }

  @BeforeEach
  void reserve() {
    atCommit = (number, connection) -> connection.commit();
    COMMITS.set(0);
    POOLS.clear();
    try (BloomFilter<String> filter = bloom.reserve(name, SPEC)) {
      filter.addEach(LongStream.range(0, OLD).mapToObj(n -> "key " + n).toList());
    }
  }

  /** Each key comes twice: the second half of the rows repeats the first one. */
  private static Dataset<Row> rows() {
    return LocalSpark.rows(spark, LongStream.range(0, 2 * KEYS).map(n -> n % KEYS));
  }

  private Dataset<Row> newRows(FilterRun run, Dataset<Row> rows) {
    return newRows(run, rows, pool -> pool);
  }

  /** How a test changes a pool, where tasks make it. */
  private interface Change extends Serializable {
    HikariDataSource of(HikariDataSource pool);
  }

  private Dataset<Row> newRows(FilterRun run, Dataset<Row> rows, Change change) {
    String url = schema.url();
    String user = schema.owner().user();
    String password = schema.owner().password();
    return SparkFilters.filterNew(
        rows,
        "url",
        name,
        KeyType.text(),
        () ->
            Trouble.of(
                change.of(pool(url, user, password)),
                COMMITS,
                (number, connection) -> atCommit.commit(number, connection)),
        run);
  }

  private static HikariDataSource pool(String url, String user, String password) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(user);
    pool.setPassword(password);
    POOLS.add(pool);
    return pool;
  }

  private static List<Long> numbers(Iterable<Row> rows) {
    List<Long> numbers = new ArrayList<>();
    rows.forEach(row -> numbers.add(row.getLong(1)));
    Collections.sort(numbers);
    return numbers;
  }

  private static List<Long> numbers(Dataset<Row> rows) {
    return numbers(rows.collectAsList());
  }

  private static List<Long> expected() {
    return LongStream.range(OLD, KEYS).boxed().toList();
  }

  /** Asks for the new rows, and asserts that each came once, with as many commits. */
  private void assertNewRowsOnce(int commits) {
    assertThat(numbers(newRows(RUN, rows()))).isEqualTo(expected());
    assertCounted();
    assertThat(COMMITS).hasValue(commits);
  }

  private void assertCounted() {
    assertThat(bloom.info(name).keysAdded()).isEqualTo(KEYS);
  }

  @Test
  void eachNewKeyComesOutOnceAndAgainInEachAction() throws Exception {
    Dataset<Row> fresh = newRows(RUN, rows());
    assertThat(numbers(fresh)).isEqualTo(expected());
    assertThat(fresh.count()).isEqualTo(KEYS - OLD);
    assertThat(numbers(fresh)).isEqualTo(expected());
    assertCounted();
    assertThat(COMMITS).as("one for each chunk, and none twice").hasValue(2 * KEYS / 100);

    assertThat(numbers(newRows(RUN, rows()))).as("the same run").isEqualTo(expected());
    assertThat(newRows(OTHER_RUN, rows()).count()).isZero();
    assertThat(RunTable.forget(schema.dataSource(), name, RUN.id())).isEqualTo(2 * KEYS / 100);
    assertThat(newRows(RUN, rows()).count()).as("after it was forgotten").isZero();

    assertThat(POOLS).as("filters are closed with the last task").isNotEmpty();
    await().untilAsserted(() -> assertThat(POOLS).allMatch(HikariDataSource::isClosed));
  }

  @Test
  void joinedPartitionsAreTheSameOnes() {
    assertThat(numbers(newRows(RUN, rows()).coalesce(1))).isEqualTo(expected());
    assertThat(numbers(newRows(RUN, rows()))).isEqualTo(expected());
    Dataset<Row> twice = newRows(RUN, rows());
    assertThat(twice.union(twice).count()).isEqualTo(2 * (KEYS - OLD));
    assertCounted();
  }

  @Test
  void aTaskThatDiesAfterItsCommitsGivesTheSameAnswersLater() {
    Dataset<Row> fresh = newRows(RUN, rows());
    List<Row> rows =
        fresh
            .javaRDD()
            .mapPartitions(
                partition -> {
                  List<Row> some = new ArrayList<>();
                  partition.forEachRemaining(some::add);
                  if (TaskContext.get().attemptNumber() < 2) {
                    throw new IllegalStateException("dies on purpose after its commits");
                  }
                  return some.iterator();
                })
            .collect();
    assertThat(numbers(rows)).isEqualTo(expected());
    assertCounted();
    assertThat(COMMITS).hasValue(2 * KEYS / 100);
  }

  @Test
  void aTaskThatDiesInTheMiddleGoesOn() {
    List<Row> rows =
        newRows(RUN, rows())
            .javaRDD()
            .mapPartitions(FilterNewIT::dyingAtRow250OfTheFirstAttempt)
            .collect();
    assertThat(numbers(rows)).isEqualTo(expected());
    assertCounted();
    assertThat(COMMITS).hasValue(2 * KEYS / 100);
  }

  private static Iterator<Row> dyingAtRow250OfTheFirstAttempt(Iterator<Row> rows) {
    return new Iterator<>() {
      private int number;

      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public Row next() {
        if (++number == 250 && TaskContext.get().attemptNumber() == 0) {
          throw new IllegalStateException("dies on purpose in the middle");
        }
        return rows.next();
      }
    };
  }

  @Test
  void twoAttemptsAtOnceGetTheSameAnswers() throws Exception {
    atCommit =
        (number, connection) -> {
          if (number == 1) {
            // Another attempt has come to the row of a chunk that is not committed yet.
            LockWaits.awaitOne("%INTO bloom_spark_chunk%", sql);
          }
          connection.commit();
        };
    List<List<Long>> results = Collections.synchronizedList(new ArrayList<>());
    // Both have tasks that run: Spark would give four cores to the first job alone.
    Dataset<Row> two = LocalSpark.rows(spark, LongStream.range(0, 2 * KEYS).map(n -> n % KEYS), 2);
    Dataset<Row> first = newRows(RUN, two);
    Dataset<Row> second = newRows(RUN, two);
    Crowd.of(2, number -> results.add(numbers(number == 0 ? first : second)))
        .join(Duration.ofSeconds(60));
    assertThat(results).containsExactly(expected(), expected());
    assertCounted();
    assertThat(COMMITS).hasValue(2 * KEYS / 100);
  }

  @Test
  void aCommitWhoseAnswerIsLostIsLookedUp() {
    atCommit =
        (number, connection) -> {
          connection.commit();
          if (number % 3 == 0) {
            connection.close();
            throw Trouble.connectionLost();
          }
        };
    assertNewRowsOnce(2 * KEYS / 100);
  }

  @Test
  void aTransactionThatIsNotCarriedOutIsRepeatedWithItsAdds() {
    atCommit =
        (number, connection) -> {
          if (number < 20 && number % 2 == 0) {
            connection.rollback();
            throw number % 4 == 0 ? Trouble.connectionLost() : Trouble.deadlock();
          }
          connection.commit();
        };
    assertNewRowsOnce(2 * KEYS / 100 + 9);
  }

  /** A pool lends a connection again that works, also where its server is no longer the primary. */
  @Test
  void aConnectionToAServerThatBecameASecondaryIsNotUsedAgain() {
    Set<Connection> toSecondary = ConcurrentHashMap.newKeySet();
    atCommit =
        (number, connection) -> {
          Connection physical = connection.unwrap(Connection.class);
          if (number <= 2) {
            toSecondary.add(physical);
          }
          if (toSecondary.contains(physical)) {
            connection.rollback();
            throw Trouble.readOnly();
          }
          connection.commit();
        };
    assertNewRowsOnce(2 * KEYS / 100 + 2);
  }

  @Test
  void aCommitThatIsCarriedOutLateIsWaitedFor() throws Exception {
    CompletableFuture<Connection> lost = new CompletableFuture<>();
    atCommit =
        (number, connection) -> {
          if (number == 1) {
            lost.complete(connection);
            throw Trouble.castAdrift(connection);
          }
          connection.commit();
        };
    Crowd late =
        Crowd.of(
            1,
            number -> {
              try (Connection connection = lost.get(60, TimeUnit.SECONDS)) {
                LockWaits.awaitOne("%INTO bloom_spark_chunk%", sql);
                connection.commit();
              }
            });
    assertThat(numbers(newRows(RUN, rows()))).isEqualTo(expected());
    late.join(Duration.ofSeconds(60));
    assertCounted();
    assertThat(COMMITS).hasValue(2 * KEYS / 100);
  }

  @Test
  void anInputThatChangedIsTold() {
    newRows(RUN, rows()).count();
    for (Dataset<Row> changed :
        List.of(
            LocalSpark.rows(spark, LongStream.range(0, 2 * KEYS).map(n -> (n + 1) % KEYS)),
            LocalSpark.rows(spark, LongStream.range(0, 2 * KEYS).map(n -> n % KEYS), 5),
            LocalSpark.rows(spark, LongStream.range(0, 2 * KEYS + 400).map(n -> n % KEYS)))) {
      assertThatThrownBy(() -> newRows(RUN, changed).count())
          .hasStackTraceContaining(ChangedInputException.class.getName())
          .hasStackTraceContaining("Run run over filter " + name + ": the keys of partition ")
          .hasStackTraceContaining("Write the input to a checkpoint");
    }
    assertCounted();
  }

  @Test
  void keysThatMoveBehindTheEndOfAPartitionAreNoticed() {
    // Two partitions of one chunk each become one of two chunks and an empty one.
    newRows(RUN, LocalSpark.rows(spark, LongStream.range(1000, 1200), 2)).count();
    Dataset<Row> moved =
        LocalSpark.rows(spark, LongStream.range(1000, 1200), 1)
            .union(LocalSpark.rows(spark, LongStream.empty(), 1));
    assertThatThrownBy(() -> newRows(RUN, moved).count())
        .hasStackTraceContaining(ChangedInputException.class.getName());
  }

  @Test
  void oldRunsAreForgottenAndYoungOnesAreNot() throws Exception {
    newRows(RUN, rows()).count();
    newRows(new FilterRun("young", 100), rows()).count();
    sql.run(
        "UPDATE bloom_spark_chunk SET made_at = made_at - INTERVAL 2 DAY WHERE run = ? AND filter"
            + " = ?",
        RUN.id(),
        name);
    // One chunk of this run is old, and others are not.
    sql.run(
        "UPDATE bloom_spark_chunk SET made_at = made_at - INTERVAL 2 DAY WHERE run = 'young' AND"
            + " chunk = 0 AND filter = ?",
        name);
    assertThat(RunTable.forgetOlderThan(schema.dataSource(), Duration.ofDays(1)))
        .isEqualTo(2 * KEYS / 100);
    assertThat(sql.texts("SELECT DISTINCT run FROM bloom_spark_chunk WHERE filter = ?", name))
        .containsExactly("young");
  }

  @Test
  void aNullKeyAndABadRunAreTold() {
    assertThatThrownBy(() -> newRows(RUN, LocalSpark.withoutKey(spark)).count())
        .hasStackTraceContaining("A key in column url is null.");
    assertThatThrownBy(() -> FilterRun.of("run of today"))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageStartingWith("The run id is 'run of today'. Use ");
    for (String bad : List.of("", "a".repeat(65), "r\u00fcn", "run\n", "run'")) {
      assertThatThrownBy(() -> FilterRun.of(bad)).isInstanceOf(InvalidParameterException.class);
    }
    assertThatThrownBy(() -> new FilterRun("run", 40_000))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("Use a number from 1 to 32768");
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "100, 1", "101, 2", "201, 3"})
  void aPartitionHasAsFewChunksAsItCan(int rows, int chunks) throws Exception {
    Dataset<Row> one = LocalSpark.rows(spark, LongStream.range(OLD, OLD + rows), 1);
    for (int action = 0; action < 2; action++) {
      assertThat(numbers(newRows(RUN, one)))
          .isEqualTo(LongStream.range(OLD, OLD + rows).boxed().toList());
    }
    assertThat(
            sql.texts(
                "SELECT chunk FROM bloom_spark_chunk WHERE filter = ? AND part = 0 ORDER BY chunk",
                name))
        .isEqualTo(IntStream.range(0, chunks).mapToObj(Integer::toString).toList());
    assertThat(bloom.info(name).keysAdded()).isEqualTo(OLD + rows);
  }

  /** Spark interrupts what runs, and the same run begins again at once. */
  @Test
  void aJobThatIsCanceledInTheMiddleGoesOn() throws Exception {
    CountDownLatch middle = new CountDownLatch(1);
    atCommit =
        (number, connection) -> {
          connection.commit();
          if (number == 7) {
            middle.countDown();
            awaitInterrupt();
          }
        };
    Dataset<Row> fresh = newRows(RUN, rows());
    Crowd canceled =
        Crowd.of(
            1,
            number -> {
              spark.sparkContext().setJobGroup(name, "to be canceled", true);
              assertThatThrownBy(fresh::count).hasMessageContaining("cancel");
            });
    assertThat(middle.await(60, TimeUnit.SECONDS)).isTrue();
    spark.sparkContext().cancelJobGroup(name);
    assertThat(numbers(newRows(RUN, rows()))).isEqualTo(expected());
    canceled.join(Duration.ofSeconds(60));
    assertCounted();
    assertThat(COMMITS).hasValue(2 * KEYS / 100);
  }

  private static void awaitInterrupt() throws SQLException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Trouble.connectionLost();
    }
  }

  @Test
  void aFilterThatIsOpenedSlowlyKeepsNoOtherWaiting() throws Exception {
    opening = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
    Dataset<Row> slow =
        newRows(
            new FilterRun("slow", 100),
            LocalSpark.rows(spark, LongStream.range(0, 10), 1),
            FilterNewIT::afterALongTime);
    Crowd waiting = Crowd.of(1, number -> slow.count());
    try {
      assertThat(opening.await(60, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<List<Long>> others =
          CompletableFuture.supplyAsync(() -> numbers(newRows(RUN, rows())));
      assertThat(others.get(60, TimeUnit.SECONDS)).isEqualTo(expected());
    } finally {
      goOn.countDown();
    }
    waiting.join(Duration.ofSeconds(60));
  }

  private static HikariDataSource afterALongTime(HikariDataSource pool) {
    opening.countDown();
    try {
      goOn.await();
      return pool;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Spark ends an executor whose threads end with an exception. */
  @Test
  @ExpectedLog("^WARN OpenFilters - what tasks had open could not be closed cleanly")
  void aDataSourceThatCannotBeClosedDoesNoHarm() {
    Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
    try {
      newRows(RUN, rows(), FilterNewIT::failingToClose).count();
      await().untilAsserted(() -> assertThat(POOLS).allMatch(HikariDataSource::isClosed));
      await().until(() -> closingThreads() == 0);
      assertThat(uncaught).isEmpty();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  private static HikariDataSource failingToClose(HikariDataSource pool) {
    POOLS.remove(pool);
    pool.close();
    HikariDataSource failing =
        new HikariDataSource() {
          @Override
          public void close() {
            super.close();
            throw new IllegalStateException("cannot be closed on purpose");
          }
        };
    failing.setJdbcUrl(pool.getJdbcUrl());
    failing.setUsername(pool.getUsername());
    failing.setPassword(pool.getPassword());
    POOLS.add(failing);
    return failing;
  }

  private static long closingThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("slotbloom-spark-close"))
        .count();
  }

  /** The row of a chunk comes before its answers. */
  @Test
  void connectionsThatReadWhatIsNotCommittedAreRefused() {
    assertThatThrownBy(() -> newRows(RUN, rows(), FilterNewIT::readingWhatIsNotCommitted).count())
        .hasStackTraceContaining("are set to READ UNCOMMITTED");
    assertThat(bloom.info(name).keysAdded()).isEqualTo(OLD);
  }

  private static HikariDataSource readingWhatIsNotCommitted(HikariDataSource pool) {
    pool.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED");
    return pool;
  }

  @Test
  void aColumnIsTakenByItsWholeNameAndOnlyIfThereIsOne() {
    Dataset<Row> rows = rows();
    assertThatThrownBy(() -> newRows(RUN, rows.withColumnRenamed("number", "url")))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageStartingWith("The Dataset has several columns named url.");
    assertThatThrownBy(() -> newRows(RUN, rows.drop("url")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("url");
    Dataset<Row> withoutPartitions = spark.emptyDataFrame().withColumn("url", functions.lit("a"));
    assertThat(newRows(RUN, withoutPartitions).count()).isZero();
  }

  @Test
  void aColumnOfAnotherTypeIsTold() {
    Dataset<Row> numbers = rows().select(functions.col("number").as("url"));
    assertThatThrownBy(() -> newRows(RUN, numbers).count())
        .hasStackTraceContaining(
            "A filter with text keys cannot look up a Long. Use a column of the type string.");
    Dataset<Row> structs = rows().select(functions.struct("url", "number").as("url"));
    assertThatThrownBy(() -> newRows(RUN, structs).count())
        .hasStackTraceContaining("Use a column of the type string.");
    assertThat(bloom.info(name).keysAdded()).isEqualTo(OLD);
  }

  @Test
  void aFilterThatGrowsDuringARunMissesNoNewKey() {
    Dataset<Row> threeTimesItsCapacity = LocalSpark.rows(spark, LongStream.range(OLD, 60_000));
    assertThat(newRows(FilterRun.of("grown"), threeTimesItsCapacity).count())
        .isEqualTo(60_000 - OLD);
  }
}
