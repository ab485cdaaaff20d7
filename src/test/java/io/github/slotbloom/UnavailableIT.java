package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database cannot be reached, or this process has closed the filter. */
@DatabaseContract(onOne = true)
@Timeout(90)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
class UnavailableIT {

  private static final Use USE = Use.MIRRORED;

  /** Steps of administrators are tried for two seconds. */
  private static final Duration LONGER_THAN_A_STEP = Duration.ofSeconds(3);

  private static final String READS_THE_CLOCK = "^select .* as `micros_now`$";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom usual;

  @BeforeDatabase
  static void migrate() {
    for (Use use : Use.values()) {
      usual.reserve(use.filterName(), use.spec(KeyType.text())).add("a");
    }
  }

  @Test
  void aLookupThrowsInTimeOrAnswersMaybe() {
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(2));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      FilterOptions options = USE.options().timeout(Duration.ofSeconds(1));
      BloomFilter<String> strict = bloom.open(USE.filterName(), KeyType.text(), options);
      BloomFilter<String> lenient =
          bloom.open(
              USE.filterName(),
              KeyType.text(),
              options.whenUnavailable(WhenUnavailable.ANSWER_MAYBE));
      pool.close();
      assertThatThrownBy(() -> strict.mightContain("b"))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining(USE.filterName());
      assertThatThrownBy(() -> strict.mightContainEach(List.of("b", "c")))
          .isInstanceOf(FilterUnavailableException.class);
      assertThat(lenient.mightContain("b")).isTrue();
      assertThat(lenient.mightContainEach(List.of("a", "b"))).containsExactly(true, true);
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> lenient.add("b"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThatThrownBy(bloom::list).isInstanceOf(FilterUnavailableException.class);
    }
  }

  private static HikariDataSource impatientPoolOfOne() {
    return schema.pool(
        settings -> {
          settings.setMaximumPoolSize(1);
          settings.setConnectionTimeout(250);
        });
  }

  @Test
  void callsFailInTimeWithoutAFreeConnectionAndThenGoOn() throws SQLException {
    HikariDataSource pool = impatientPoolOfOne();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = USE.open(bloom, USE.filterName(), Duration.ofSeconds(1));
      BloomFilter<String> patient = USE.open(bloom, USE.filterName());
      try (Connection taken = takeFrom(pool)) {
        assertThat(taken.isValid(60)).isTrue();
        assertFails(() -> filter.mightContain("new " + USE));
        assertFails(() -> filter.add("new " + USE));
      }
      assertThat(patient.mightContain("new " + USE)).isFalse();
      assertThat(patient.add("new " + USE)).isTrue();
      assertThat(usual.open(USE.filterName(), KeyType.text()).mightContain("new " + USE)).isTrue();
    }
  }

  /** What looks after the filters may have it for a moment. */
  private static Connection takeFrom(HikariDataSource pool) {
    return await()
        .ignoreExceptionsInstanceOf(SQLTransientConnectionException.class)
        .until(pool::getConnection, connection -> true);
  }

  private static void assertFails(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfAny(FilterUnavailableException.class, WriteFailedException.class);
  }

  @Test
  void openingWaitsForTheDatabaseAsLongAsACallDoes() throws Exception {
    try (BehindNetwork process =
        new BehindNetwork(schema, settings -> settings.setConnectionTimeout(250))) {
      process.network().refuse(true);
      process.network().cutAll();
      FilterOptions impatient = FilterOptions.defaults().timeout(Duration.ofMillis(1));
      assertThatThrownBy(() -> process.bloom().open("mirrored", KeyType.text(), impatient))
          .isInstanceOf(FilterUnavailableException.class);

      FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
      List<CompletableFuture<BloomFilter<String>>> opening =
          List.of(
              CompletableFuture.supplyAsync(() -> process.bloom().open("mirrored", KeyType.text())),
              CompletableFuture.supplyAsync(() -> process.bloom().open("mirrored", spec)),
              CompletableFuture.supplyAsync(() -> process.bloom().openOrReserve("mirrored", spec)));
      await()
          .during(LONGER_THAN_A_STEP)
          .atMost(LONGER_THAN_A_STEP.multipliedBy(12))
          .until(() -> opening.stream().noneMatch(CompletableFuture::isDone));
      process.network().heal();
      for (CompletableFuture<BloomFilter<String>> filter : opening) {
        assertThat(filter.get(60, TimeUnit.SECONDS).mightContain("a")).isTrue();
      }
    }
  }

  @Test
  void withAClosedPoolOpeningFailsAtOnce() {
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      pool.close();
      // Longer than this test may take.
      FilterOptions patient = FilterOptions.defaults().timeout(Duration.ofMinutes(10));
      FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> bloom.open("mirrored", KeyType.text(), patient),
              () -> bloom.open("mirrored", spec, patient),
              () -> bloom.openOrReserve("mirrored", spec, patient))) {
        assertThatThrownBy(call).isInstanceOf(FilterUnavailableException.class);
      }
    }
    assertThatThrownBy(() -> SlotBloom.on(pool)).isInstanceOf(FilterUnavailableException.class);
  }

  @Test
  void openingEndsWhenSlotBloomIsClosed() throws Exception {
    try (BehindNetwork process =
        new BehindNetwork(schema, settings -> settings.setConnectionTimeout(250))) {
      process.network().refuse(true);
      process.network().cutAll();
      FilterOptions patient = FilterOptions.defaults().timeout(Duration.ofMinutes(10));
      FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
      CompletableFuture<?> opening =
          CompletableFuture.supplyAsync(
              () -> process.bloom().openOrReserve("too_late", spec, patient));
      await().until(() -> process.pool().getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
      process.bloom().close();
      assertThatThrownBy(() -> opening.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(FilterClosedException.class);
    }
    assertThat(usual.names()).doesNotContain("too_late");
  }

  /** The clock is read after everything else. */
  @Test
  void openingAWindowSurvivesALostConnection() throws Exception {
    FilterSpec<String> window =
        FilterSpec.builder(KeyType.text()).capacity(100).window(Duration.ofDays(1), 4).build();
    usual.reserve("window", window).close();
    try (BehindNetwork process = new BehindNetwork(schema)) {
      Trap clock = process.network().trap(Trap.Place.BEFORE_SERVER, READS_THE_CLOCK);
      clock.cut();
      assertThat(process.bloom().open("window", window).add("a")).isTrue();
      assertThat(clock.hasCaught()).isTrue();
    }
  }

  @Test
  void callsOfAClosedFilterSayThatItIsClosed() {
    BloomFilter<String> filter = usual.open("mirrored", KeyType.text());
    filter.close();
    filter.close();
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> filter.add("x"),
            () -> filter.addEach(List.of("x")),
            () -> filter.filterNew(List.of("x")),
            () -> filter.addAsync("x"),
            () -> filter.mightContain("x"),
            () -> filter.mightContainEach(List.of("x")),
            () -> filter.reportFalsePositives(List.of("x")),
            () -> filter.blockList().isBlocked("x"),
            () -> filter.blockList().rescued())) {
      assertThatThrownBy(call)
          .isInstanceOf(FilterClosedException.class)
          .hasMessageContaining("mirrored");
    }
  }

  @Test
  void closingSlotBloomClosesItsFilters() {
    SlotBloom bloom = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(2)));
    BloomFilter<String> filter = bloom.open("mirrored", KeyType.text());
    bloom.close();
    bloom.close();
    assertThatThrownBy(() -> filter.add("x")).isInstanceOf(FilterClosedException.class);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> bloom.open("mirrored", KeyType.text()),
            () -> bloom.admin("mirrored").fold(),
            () -> bloom.admin("mirrored").clear(),
            () -> bloom.admin("mirrored").drop(),
            () -> bloom.admin("mirrored").growSql(),
            () -> bloom.admin("mirrored").functionSql(),
            () -> bloom.admin("mirrored").replacement(),
            () -> bloom.info("mirrored"),
            () -> bloom.reserveSql("other", USE.spec(KeyType.text())),
            bloom::list,
            bloom::databaseTime,
            bloom::isMigrated,
            bloom::migrate)) {
      assertThatThrownBy(call).isInstanceOf(FilterClosedException.class);
    }
  }

  @Test
  void aRetriedLookupEndsWhenSlotBloomIsClosed() throws Exception {
    HikariDataSource pool = impatientPoolOfOne();
    SlotBloom bloom = SlotBloom.on(pool);
    BloomFilter<String> filter = USE.open(bloom, USE.filterName());
    try (Connection taken = takeFrom(pool)) {
      assertThat(taken.isValid(1)).isTrue();
      CompletableFuture<Boolean> asked =
          CompletableFuture.supplyAsync(() -> filter.mightContain("never added"));
      await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
      bloom.close();
      assertThatThrownBy(() -> asked.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(FilterClosedException.class)
          .hasMessageContaining(USE.filterName());
    }
  }
}
