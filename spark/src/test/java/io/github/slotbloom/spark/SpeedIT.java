package io.github.slotbloom.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures beside {@code dropDuplicates} and an anti-join with a JDBC table: see docs/spark.md.
 *
 * <p>Each round has {@value #PROPERTY} rows. A fifth of them are repetitions, and half of the
 * others have keys of the round before. The first round only fills the filter and the table.
 */
@DatabaseContract(migrated = true)
@EnabledIfSystemProperty(named = SpeedIT.PROPERTY, matches = "\\d+")
@PossibleLog(LocalSpark.LOGS)
class SpeedIT {

  static final String PROPERTY = "slotbloom.spark.rows";

  private static final long ROWS = Long.getLong(PROPERTY, 0);
  private static final int ROUNDS = Integer.getInteger("slotbloom.spark.rounds", 4);
  private static final long MOVES = ROWS * 2 / 5;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @TempDir private Path folder;

  private final SparkSession spark = LocalSpark.start();
  private final FilterSpec<String> spec =
      FilterSpec.builder(KeyType.text())
          .capacity(Math.max(1000, ROUNDS * ROWS))
          .falsePositiveRate(0.001)
          .build();

  private Dataset<Row> rows(int round) {
    return spark
        .range(0, ROWS, 1, 4)
        .selectExpr(
            "lpad(hex(xxhash64(%d + id %% %d)), 16, '0') AS url"
                .formatted(round * MOVES, Math.max(1, 2 * MOVES)));
  }

  @Test
  void besideAnAntiJoin() throws Exception {
    RunTable.create(schema.dataSource());
    sql.run("CREATE TABLE seen (url CHAR(16) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)");
    bloom.reserve("urls", spec).close();
    for (int round = 0; round < ROUNDS; round++) {
      int number = round;
      long[] counts = new long[2];
      // Who goes first alternates.
      IntStream.of(round % 2, 1 - round % 2)
          .forEach(side -> counts[side] = side == 0 ? filterNew(number) : antiJoin(number));
      assertThat(counts[0]).isBetween(counts[1] * 995 / 1000, counts[1]);
    }
    for (int round = 0; round < ROUNDS; round++) {
      int number = round;
      Path file = folder.resolve("filter" + round);
      timed("build", round, () -> build(number, file));
    }
    FilterSnapshot snapshot = FilterSnapshot.of(bloom.admin("urls"));
    var mightContain = SparkFilters.mightContain(spark, snapshot);
    for (int round = 0; round < ROUNDS; round++) {
      Dataset<Row> rows = rows(round + ROUNDS);
      timed("might_contain", round, () -> rows.where(mightContain.apply(rows.col("url"))).count());
    }
  }

  private long build(int round, Path file) throws Exception {
    return SparkFilters.build(rows(round), "url", spec, "built", file.toUri().toString());
  }

  private long filterNew(int round) {
    String url = schema.url();
    String user = schema.owner().user();
    String password = schema.owner().password();
    Dataset<Row> fresh =
        SparkFilters.filterNew(
            rows(round),
            "url",
            "urls",
            KeyType.text(),
            () -> pool(url, user, password),
            FilterRun.of("round-" + round));
    return timed("filterNew", round, fresh::count);
  }

  private static HikariDataSource pool(String url, String user, String password) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(user);
    pool.setPassword(password);
    return pool;
  }

  /** The table must have the new keys as well afterwards. */
  private long antiJoin(int round) {
    return timed(
        "dropDuplicates, anti-join, append",
        round,
        () -> {
          Dataset<Row> fresh =
              rows(round)
                  .dropDuplicates("url")
                  .join(seen(), new String[] {"url"}, "left_anti")
                  .cache();
          long count = fresh.count();
          fresh.write().mode("append").option("batchsize", 10_000).jdbc(url(), "seen", account());
          fresh.unpersist();
          return count;
        });
  }

  /** Read by four tasks at once, each a range of the primary key. */
  private Dataset<Row> seen() {
    String[] ranges = {
      "url < '4'", "url >= '4' AND url < '8'", "url >= '8' AND url < 'C'", "url >= 'C'"
    };
    return spark.read().jdbc(url(), "seen", ranges, account());
  }

  private static String url() {
    return schema.url()
        + (schema.url().contains("?") ? "&" : "?")
        + "rewriteBatchedStatements=true&useCursorFetch=true";
  }

  private static Properties account() {
    Properties account = new Properties();
    account.setProperty("user", schema.owner().user());
    account.setProperty("password", schema.owner().password());
    account.setProperty("fetchsize", "10000");
    account.setProperty("driver", "com.mysql.cj.jdbc.Driver");
    return account;
  }

  private interface Work {
    long run() throws Exception;
  }

  private static long timed(String what, int round, Work work) {
    long begin = System.nanoTime();
    long result;
    try {
      result = work.run();
    } catch (Exception e) {
      throw new IllegalStateException(what, e);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "SPEED round %d, %s: %.2f s, %.0f rows/s, result %d%n",
        round,
        what,
        seconds,
        ROWS / seconds,
        result);
    return result;
  }
}
