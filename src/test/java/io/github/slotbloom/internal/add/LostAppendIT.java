package io.github.slotbloom.internal.add;

import static io.github.slotbloom.core.OnFull.REFUSE;
import static io.github.slotbloom.testing.Calls.get;
import static io.github.slotbloom.testing.Calls.inBackground;
import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The one statement of a process that writes alone gets no answer. It commits by itself, so unlike
 * a COMMIT it may take effect long after its connection broke.
 */
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@Tag("mysql")
class LostAppendIT {

  private static final String APPEND = "insert.* into `bloom_journal`";
  private static final String READ = "join `bloom_fold` .* join `bloom_journal`";

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static SlotBloom there;

  private final String name = newName();

  @BeforeEach
  void reserve() {
    there.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
  }

  /** Opens the filter, and adds two keys, so that the next add takes one statement. */
  private BloomFilter<String> openAndWriteAlone(BehindNetwork here, FilterOptions options) {
    BloomFilter<String> filter = here.bloom().open(name, KeyType.text(), options);
    assertThat(filter.add("first")).isTrue();
    assertThat(filter.add("second")).isTrue();
    return filter;
  }

  private void assertRecordedOnce(BloomFilter<String> filter, String... keys) throws SQLException {
    assertThat(filter.addEach(List.of(keys))).containsOnly(false);
    assertThat(there.open(name, KeyType.text()).addEach(List.of(keys))).containsOnly(false);
    assertThat(
            sql.rows(
                "SELECT s.last_seq, s.keys_added, SUM(LENGTH(payload)) DIV 8"
                    + " FROM bloom_filter_status s JOIN bloom_journal j USING (filter_id)"
                    + " WHERE name = ? GROUP BY s.last_seq, s.keys_added",
                name))
        .containsExactly(List.of("" + keys.length, "" + keys.length, "" + keys.length));
  }

  /** Where it arrived it is found in the journal, and otherwise it is written again. */
  @ParameterizedTest
  @EnumSource(names = {"BEFORE_SERVER", "BEFORE_CLIENT"})
  void anAppendWithoutAnAnswerIsRecordedOnce(Trap.Place place) throws Exception {
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = openAndWriteAlone(here, FilterOptions.defaults());
      here.network().trap(place, APPEND).cut();
      assertThat(filter.add("x")).isTrue();
      assertRecordedOnce(filter, "first", "second", "x");
    }
  }

  @Test
  void anAppendThatArrivesAfterItWasWrittenAgainDoesNothing() throws Exception {
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = openAndWriteAlone(here, FilterOptions.defaults());
      long session = session(here);
      Trap late = here.network().trap(Trap.Place.BEFORE_SERVER, APPEND);
      CompletableFuture<Boolean> answer = inBackground(() -> filter.add("x"));
      late.caught().get(60, TimeUnit.SECONDS);
      late.hangUpOnClient();
      assertThat(get(answer)).isTrue();
      arrive(late, session);
      assertRecordedOnce(filter, "first", "second", "x");
    }
  }

  @Test
  void anAppendThatArrivesAfterItsCallerWasToldThatNothingIsRecordedDoesNothing() throws Exception {
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter =
          openAndWriteAlone(here, FilterOptions.defaults().timeout(Duration.ofSeconds(2)));
      long session = session(here);
      Trap late = here.network().trap(Trap.Place.BEFORE_SERVER, APPEND);
      CompletableFuture<WriteFailedException> failure =
          inBackground(
              () -> catchThrowableOfType(WriteFailedException.class, () -> filter.add("x")));
      late.caught().get(60, TimeUnit.SECONDS);
      // The outcome is looked up, and what follows is stopped.
      Trap again = here.network().trap(Trap.Place.BEFORE_SERVER, READ);
      late.hangUpOnClient();
      again.caught().get(60, TimeUnit.SECONDS);
      assertThat(get(failure).outcome()).isEqualTo(Outcome.NOT_RECORDED);
      arrive(late, session);
      again.release();
      assertRecordedOnce(filter, "first", "second");
      assertThat(filter.mightContain("x")).isFalse();
    }
  }

  @Test
  void anAppendThatIsSentTwiceIsRecordedOnceAndItsKeyIsNew() throws Exception {
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    try (SlotBloom here = SlotBloom.on(tapped.dataSource())) {
      BloomFilter<String> filter = here.open(name, KeyType.text());
      assertThat(filter.add("first")).isTrue();
      assertThat(filter.add("second")).isTrue();
      tapped.sendTwice(" into `bloom_journal`");
      assertThat(filter.add("x")).isTrue();
      assertThat(tapped.waitsToSendTwice()).isFalse();
      assertRecordedOnce(filter, "first", "second", "x");
    }
  }

  /** Returns the session of the one connection. */
  private static long session(BehindNetwork here) throws SQLException {
    return new Sql(here.pool()).number("SELECT CONNECTION_ID()");
  }

  /** Lets a statement reach the server, and waits until its session is over. */
  private static void arrive(Trap late, long session) {
    late.release();
    await()
        .until(
            () ->
                sql.number(
                        "SELECT COUNT(*) FROM information_schema.processlist WHERE id = ?", session)
                    == 0);
  }

  /** A known key of a list that was cleared while the others waited is added separately. */
  @Test
  void aKeyThatIsRecordedIsNotToldToBeMissingWhenAnotherOfTheListIsRefused() throws Exception {
    String small = newName();
    there
        .reserve(
            small,
            FilterSpec.builder(KeyType.text())
                .capacity(3)
                .falsePositiveRate(1e-9)
                .onFull(REFUSE)
                .build())
        .close();
    try (BehindNetwork here = new BehindNetwork(schema)) {
      BloomFilter<String> filter = here.bloom().open(small, KeyType.text());
      assertThat(filter.addEach(List.of("first", "known"))).containsOnly(true);
      // From here a whole lease has to pass before memory does not know the two anymore.
      assertThat(filter.mightContain("absent")).isFalse();
      Trap answer = here.network().trap(Trap.Place.BEFORE_CLIENT, APPEND);
      CompletableFuture<WriteFailedException> failure =
          inBackground(
              () ->
                  catchThrowableOfType(
                      WriteFailedException.class,
                      () -> filter.addEach(List.of("first", "known", "new"))));
      answer.caught().get(60, TimeUnit.SECONDS);
      there.admin(small).clear();
      there.open(small, KeyType.text()).addEach(List.of("first", "new", "other"));
      answer.release();
      assertThat(get(failure))
          .hasRootCauseInstanceOf(FilterFullException.class)
          .hasMessageContaining("some may have been recorded")
          .satisfies(e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
    }
  }
}
