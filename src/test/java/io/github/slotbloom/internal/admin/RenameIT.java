package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter that is renamed keeps all that it holds, and who has it open is told its new name. */
@OddHours
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Tag("mysql")
class RenameIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec<String> removable() {
    return FilterSpec.builder(KeyType.text())
        .capacity(2000)
        .falsePositiveRate(1e-9)
        .buildRemovable(100);
  }

  private static void assertTellsTheNewName(ThrowingCallable call, String name, String newName) {
    assertThatThrownBy(call)
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContainingAll(
            "Filter " + name + " was renamed to " + newName, "open it by its new name");
  }

  @Test
  void whatWasAcknowledgedIsFoundUnderTheNewName() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> old = USE.reserve(here, name);
    old.add("folded");
    here.admin(old.name()).fold();
    old.add("unfolded");
    FilterInfo before = here.info(old.name());

    there.admin(name).rename(newName);

    assertThat(here.names()).contains(newName).doesNotContain(name);
    BloomFilter<String> renamed = USE.open(there, newName);
    assertThat(renamed.name()).isEqualTo(newName);
    assertThat(renamed.mightContainEach(List.of("folded", "unfolded", "neither")))
        .containsExactly(true, true, false);
    assertThat(renamed.addEach(List.of("folded", "unfolded", "new")))
        .containsExactly(false, false, true);
    here.admin(renamed.name()).fold();
    FilterInfo after = here.info(renamed.name());
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.createdAt()).isEqualTo(before.createdAt());
    assertThat(after.keysAdded()).isEqualTo(3);
    assertThat(there.admin(newName).verify(VerifyOptions.defaults()).findings()).isEmpty();
    assertThatThrownBy(() -> there.open(name, KeyType.text()))
        .isInstanceOf(FilterNotFoundException.class);
  }

  @Test
  void openFiltersTellTheNewName() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> mine = here.reserve(name, removable());
    BloomFilter<String> theirs = USE.open(there, name);
    mine.addEach(List.of("a", "gone"));
    Removing.from(mine).remove("gone");
    assertThat(theirs.mightContain("a")).isTrue();

    here.admin(name).rename(newName);

    try (Connection transaction = ByHand.transaction(schema.dataSource().getConnection())) {
      for (BloomFilter<String> filter : List.of(mine, theirs)) {
        // Renaming has waited for a lease, so none is answered from memory.
        for (ThrowingCallable call : Calls.ofEachKind(filter, transaction)) {
          assertTellsTheNewName(call, name, newName);
        }
        assertTellsTheNewName(() -> Removing.from(filter).remove("a"), name, newName);
      }
      transaction.rollback();
    }
    mine.close();
    theirs.close();
    BloomFilter<String> renamed = USE.open(here, newName);
    assertThat(renamed.mightContainEach(List.of("a", "b", "c", "gone")))
        .containsExactly(true, false, false, false);
    assertThat(Removing.from(renamed).remove("a")).isTrue();
    assertThat(renamed.add("gone")).isTrue();
    assertThat(here.info(renamed.name()).keysRemoved()).isEqualTo(1);
    assertThat(here.admin(newName).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  /** The mirror ends on its own: nobody asks before the lease is over. */
  @Test
  @Timeout(45)
  void answersFromMemoryEndWithTheLease() {
    String name = newName();
    String newName = newName();
    BloomFilter<String> mine = Use.MIRRORED.reserve(here, name);
    mine.add("a");
    BloomFilter<String> bounded = Use.openBounded(there, name, Duration.ofMinutes(1));
    assertThat(bounded.mightContain("a")).isTrue();

    here.admin(name).rename(newName);

    for (String key : List.of("a", "b")) {
      assertTellsTheNewName(() -> bounded.mightContain(key), name, newName);
      assertTellsTheNewName(() -> bounded.add(key), name, newName);
    }
  }

  /** What a strict lookup asks of the database is refused at once, not only after the lease. */
  @Test
  void strictLookupsAreRefusedFromTheCommitOn() throws Exception {
    String name = newName();
    String newName = newName();
    USE.reserve(here, name).close();
    // Long enough that the rename still waits while this asks, also on a machine with much to do.
    sql.run("UPDATE bloom_filter SET lease_millis = 30000 WHERE name = ?", name);
    BloomFilter<String> old = USE.open(there, name);
    old.add("a");
    // A mirror that found nothing new reads less the next time.
    assertThat(old.mightContain("b")).isFalse();
    assertThat(old.mightContain("b")).isFalse();
    CompletableFuture<Throwable> cutOff = new CompletableFuture<>();
    Thread renaming =
        new Thread(() -> cutOff.complete(catchThrowable(() -> here.admin(name).rename(newName))));
    renaming.start();
    await().until(() -> here.names().contains(newName));
    // Once the transaction has been answered.
    await().until(() -> renaming.getState() == Thread.State.TIMED_WAITING);
    assertTellsTheNewName(() -> old.mightContain("b"), name, newName);
    assertTellsTheNewName(() -> old.add("b"), name, newName);
    assertThat(cutOff).isNotDone();
    renaming.interrupt();
    assertThat(cutOff.get(60, TimeUnit.SECONDS))
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("was renamed to " + newName);
  }

  @Test
  void theNewNameMustBeFreeAndValidAndAnother() {
    String name = newName();
    String taken = newName();
    BloomFilter<String> filter = Use.MIRRORED.reserve(here, name);
    Use.MIRRORED.reserve(here, taken).add("theirs");
    filter.add("mine");

    assertThatThrownBy(() -> there.admin(name).rename(taken))
        .isInstanceOf(FilterExistsException.class)
        .hasMessageContainingAll("Filter " + taken + " already exists", "Choose another name");
    assertThatThrownBy(() -> there.admin(name).rename("not\nvalid"))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("not\\u000Avalid");
    assertThatThrownBy(() -> there.admin(name).rename(name))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("Filter " + name + " already has that name");
    assertThatThrownBy(() -> there.admin("nobody").rename(newName()))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("nobody");

    assertThat(filter.mightContainEach(List.of("mine", "theirs"))).containsExactly(true, false);
    assertThat(filter.add("more")).isTrue();
  }

  @Test
  void aNameThatIsBeingReservedOrDroppedIsTaken() throws SQLException {
    String name = newName();
    Use.MIRRORED.reserve(here, name);
    for (String state : List.of("RESERVING", "IMPORTING", "DROPPING")) {
      String taken = newName();
      Use.MIRRORED.reserve(here, taken).close();
      sql.run("UPDATE bloom_filter SET state = ? WHERE name = ?", state, taken);
      assertThatThrownBy(() -> here.admin(name).rename(taken))
          .as(state)
          .isInstanceOf(FilterExistsException.class)
          .hasMessageContaining("Filter " + taken);
    }
    assertThat(here.names()).contains(name);
  }

  @Test
  void aFilterThatIsBeingMadeOrDroppedIsNotRenamed() throws SQLException {
    String name = newName();
    Use.MIRRORED.reserve(here, name).close();
    for (String state : List.of("RESERVING", "IMPORTING", "DROPPING")) {
      sql.run("UPDATE bloom_filter SET state = ? WHERE name = ?", state, name);
      assertThatThrownBy(() -> here.admin(name).rename(newName()))
          .as(state)
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining(name);
    }
    sql.run("UPDATE bloom_filter SET state = 'ACTIVE' WHERE name = ?", name);
    String newName = newName();
    here.admin(name).rename(newName);
    assertThat(here.names()).contains(newName);
  }

  @Test
  void aFilterThatIsBeingReplacedIsNotRenamed() {
    String name = newName();
    String newName = newName();
    BloomFilter<String> filter = Use.MIRRORED.reserve(here, name);
    filter.addEach(keys("k", 100));
    CutOffReplacement.begin(here, name, 5000, "a list", KeyType.text(), keys("k", 50));
    assertThatThrownBy(() -> there.admin(name).rename(newName))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll(name, "is being replaced", "grow " + name + " --abort");
    here.admin(name).abortReplacement();
    there.admin(name).rename(newName);
    assertThat(there.open(newName, KeyType.text()).mightContainEach(keys("k", 100)))
        .containsOnly(true);
  }

  @Test
  void aTransactionWithAnOldSnapshotIsToldTheNewName() throws SQLException {
    String name = newName();
    String newName = newName();
    BloomFilter<String> old = Use.MIRRORED.reserve(here, name);
    try (Connection transaction =
        ByHand.transaction(
            schema.dataSource().getConnection(), Connection.TRANSACTION_REPEATABLE_READ)) {
      Sql.run(transaction, "SELECT COUNT(*) FROM bloom_usage");
      there.admin(name).rename(newName);
      assertTellsTheNewName(() -> old.within(transaction).add("a"), name, newName);
      // The transaction itself is whole.
      Sql.run(transaction, "SELECT COUNT(*) FROM bloom_usage");
      transaction.rollback();
    }
    assertThat(there.open(newName, KeyType.text()).mightContain("a")).isFalse();
  }

  @Test
  void aFilterThatWasRenamedBackGoesOnForWhoHadItOpen() {
    String name = newName();
    String newName = newName();
    BloomFilter<String> old = USE.reserve(here, name);
    old.add("a");
    here.admin(name).rename(newName);
    BloomFilter<String> between = USE.open(there, newName);
    assertThat(between.add("b")).isTrue();
    here.admin(between.name()).fold();
    between.add("c");
    assertTellsTheNewName(() -> old.add("d"), name, newName);

    here.admin(newName).rename(name);

    assertTellsTheNewName(() -> between.add("d"), newName, name);
    assertThat(old.mightContainEach(List.of("a", "b", "c", "d")))
        .containsExactly(true, true, true, false);
    assertThat(old.addEach(List.of("b", "d"))).containsExactly(false, true);
    assertThat(here.info(old.name()).keysAdded()).isEqualTo(4);
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void twoFiltersSwapTheirNames() {
    String first = newName();
    String second = newName();
    String third = newName();
    BloomFilter<String> ofFirst = here.reserve(first, removable());
    BloomFilter<String> ofSecond = here.reserve(second, removable());
    ofFirst.addEach(List.of("first", "gone"));
    ofSecond.addEach(List.of("second", "gone"));
    Removing.from(ofFirst).remove("gone");
    here.admin(ofFirst.name()).fold();
    here.admin(ofSecond.name()).fold();

    there.admin(first).rename(third);
    there.admin(second).rename(first);
    there.admin(third).rename(second);

    List<String> asked = List.of("first", "second", "gone");
    assertThat(there.open(first, KeyType.text()).mightContainEach(asked))
        .containsExactly(false, true, true);
    assertThat(there.open(second, KeyType.text()).mightContainEach(asked))
        .containsExactly(true, false, false);
    // It would be another filter by its name.
    assertTellsTheNewName(() -> ofFirst.add("x"), first, second);
    assertTellsTheNewName(() -> ofSecond.mightContain("x"), second, first);
    assertTellsTheNewName(() -> ofSecond.mightContainEach(asked), second, first);
    for (String name : List.of(first, second)) {
      assertThat(there.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    }
  }
}
