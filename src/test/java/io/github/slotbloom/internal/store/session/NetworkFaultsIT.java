package io.github.slotbloom.internal.store.session;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that break, hang or are slow, with a pool of one. */
@DatabaseContract
@Timeout(90)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@Tag("mysql")
class NetworkFaultsIT {

  private static final Use USE = Use.MIRRORED;

  private static final Duration SHORT = Duration.ofMillis(700);

  /** A machine that is slow, too, sends the entry before it is over. */
  private static final Duration LONG_ENOUGH_TO_WRITE = Duration.ofSeconds(3);

  @Fixture private static TestSchema schema;

  @Fixture private static Sql sql;
  @Fixture private static SlotBloom there;

  private static String reserve(Use use) {
    String name = newName();
    there.reserve(name, use.spec(KeyType.text())).close();
    return name;
  }

  private static BloomFilter<String> open(BehindNetwork here, String name, Use use) {
    return use.open(here.bloom(), name);
  }

  private static BloomFilter<String> openThere(String name) {
    return there.open(name, KeyType.text());
  }

  private static void assertEntries(String name, int entries) throws SQLException {
    assertThat(
            sql.rows(
                    "SELECT SUM(seq > 0), MAX(seq), MAX(s.last_seq), MAX(s.keys_added)"
                        + " FROM bloom_journal j JOIN bloom_filter_status s"
                        + " ON s.filter_id = j.filter_id WHERE name = ?",
                    name)
                .get(0))
        .containsOnly("" + entries);
  }

  static Stream<Arguments> usesAndPlaces() {
    return Stream.of(
        Arguments.of(Use.MIRRORED, Trap.Place.BEFORE_CLIENT),
        Arguments.of(Use.DIRECT, Trap.Place.BEFORE_SERVER),
        Arguments.of(Use.DIRECT, Trap.Place.HALF_WAY));
  }

  @ParameterizedTest
  @MethodSource("usesAndPlaces")
  void anAddIsRecordedOnceIfAnyOfItsStatementsIsCut(Use use, Trap.Place place) throws Exception {
    String name = reserve(use);
    int statements = 8;
    int cut = 0;
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = open(here, name, use);
      for (int toPass = 0; toPass < statements; toPass++) {
        Trap trap = here.network().trap(place, "", toPass);
        trap.cut();
        assertThat(filter.add("key " + toPass)).isTrue();
        cut += trap.hasCaught() ? 1 : 0;
        here.network().heal();
        assertThat(filter.add("key " + toPass)).isFalse();
      }
    }
    assertEntries(name, statements);
    // The read and the append. A process that wrote last needs no read.
    assertThat(cut).isGreaterThan(use.mirrored ? 0 : 1);
    List<String> keys = IntStream.range(0, statements).mapToObj(i -> "key " + i).toList();
    assertThat(openThere(name).addEach(keys)).containsOnly(false);
  }

  @Test
  void callsEndInTimeWhileTheNetworkIsStalledAndThenGoOn() throws Exception {
    String name = reserve(USE);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = USE.open(here.bloom(), name, SHORT);
      BloomFilter<String> patient = open(here, name, USE);
      assertThat(patient.add("before")).isTrue();
      here.network().stall(true);
      CompletableFuture<Boolean> async = filter.addAsync("async");
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> filter.add("x"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure)
          .hasMessageContainingAll(
              "Could not add to filter " + name + " within 700 ms",
              "None of these keys was recorded");
      assertThatThrownBy(() -> filter.mightContain("y"))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll(name, "no answer within 700 ms");
      assertThatThrownBy(() -> async.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(WriteFailedException.class);
      here.network().heal();
      // What was sent in vain arrives now, and must not add what was given up.
      assertThat(patient.add("after")).isTrue();
      assertThat(openThere(name).mightContainEach(List.of("before", "x", "async", "after")))
          .containsExactly(true, false, false, true);
    }
    assertEntries(name, 2);
  }

  @Test
  void anAddThatStallsAfterItWasWrittenHasAnUnknownOutcome() throws Exception {
    String name = reserve(USE);
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = USE.open(here.bloom(), name, LONG_ENOUGH_TO_WRITE);
      Trap append = here.network().trap(Trap.Place.BEFORE_CLIENT, "insert.* into `bloom_journal`");
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> filter.add("x"));
      assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
      assertThat(failure).hasMessageContaining("may have been recorded");
      append.release();
      assertThat(eventually(() -> filter.add("x"))).isFalse();
    }
    assertEntries(name, 1);
  }

  /** Calls again while the timeout is too short for what still has to be worked off. */
  private static boolean eventually(BooleanSupplier call) {
    while (true) {
      try {
        return call.getAsBoolean();
      } catch (WriteFailedException | FilterUnavailableException e) {
        // Its time was too short.
      }
    }
  }

  @Test
  void aSilentServerIsNoticedAfterTheTimeoutOfTheApplication() throws Exception {
    String name = reserve(USE);
    try (BehindNetwork here =
        new BehindNetwork(schema, pool -> pool.addDataSourceProperty("socketTimeout", "1000"))) {
      BloomFilter<String> filter = open(here, name, USE);
      assertThat(filter.add("a")).isTrue();
      here.network().loseServer();
      assertThat(filter.add("b")).isTrue();
      here.network().loseServer();
      assertThat(filter.mightContain("c")).isFalse();
    }
    assertEntries(name, 2);
  }

  @Test
  void aSilentClientStopsOthersForSecondsOnly() throws Exception {
    String between = reserve(Use.MIRRORED);
    String halfWay = reserve(Use.MIRRORED);
    CompletableFuture<Boolean> first = addAfterALostClient(between, Trap.Place.BEFORE_SERVER);
    CompletableFuture<Boolean> second = addAfterALostClient(halfWay, Trap.Place.HALF_WAY);
    assertThat(first.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(second.get(60, TimeUnit.SECONDS)).isTrue();
    assertEntries(between, 1);
    assertEntries(halfWay, 1);
  }

  /**
   * The add of somebody else, while the lock is held by a client that the server never hears of.
   */
  private static CompletableFuture<Boolean> addAfterALostClient(String name, Trap.Place place)
      throws Exception {
    BehindNetwork lost = new BehindNetwork(schema);
    BloomFilter<String> filter =
        lost.bloom()
            .open(name, KeyType.text(), FilterOptions.defaults().timeout(LONG_ENOUGH_TO_WRITE));
    Trap append = lost.network().trap(place, "insert.* into `bloom_journal`");
    CompletableFuture<Boolean> unused = filter.addAsync("lost");
    append.caught().get(60, TimeUnit.SECONDS);
    lost.network().refuse(true);
    lost.network().loseClients();
    FilterOptions patient = FilterOptions.defaults().timeout(Duration.ofMinutes(1));
    return CompletableFuture.supplyAsync(() -> there.open(name, KeyType.text(), patient).add("x"))
        .whenComplete((added, failed) -> append.cut())
        .thenApply(
            added -> {
              try {
                lost.close();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              return added;
            });
  }
}
