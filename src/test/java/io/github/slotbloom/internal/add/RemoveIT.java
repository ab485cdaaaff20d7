package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.RemovableWrites;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Calls;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys are removed: they are missing for everybody, and no other key is. */
@DatabaseContract
@Timeout(300)
@Tag("mysql")
class RemoveIT {

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  /** The ways to keep and to use a filter. */
  private enum Way {
    MIRRORED(false, FilterOptions.defaults()),
    DIRECT(false, FilterOptions.defaults().withoutMirror()),
    RETAINED(true, FilterOptions.defaults()),
    RETAINED_DIRECT(true, FilterOptions.defaults().withoutMirror());

    final boolean retained;
    final FilterOptions options;

    Way(boolean retained, FilterOptions options) {
      this.retained = retained;
      this.options = options;
    }

    FilterSpec.Removable<String> spec() {
      FilterSpec.Builder<String> spec =
          FilterSpec.builder(KeyType.text()).capacity(2000).falsePositiveRate(1e-9);
      return (retained ? spec.retainHashes() : spec).buildRemovable(100);
    }

    RemovableFilter<String> reserve(SlotBloom bloom) {
      return bloom.reserve(newName(), spec(), options);
    }

    RemovableFilter<String> open(SlotBloom bloom, String name) {
      return Removing.from(bloom.open(name, KeyType.text(), options));
    }
  }

  /** What may happen between a write and a lookup. */
  private enum Meanwhile {
    NOTHING,
    FOLDED,
    OPENED_ANEW
  }

  static Stream<List<Object>> waysAndMeanwhiles() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Meanwhile.values()).map(meanwhile -> List.of(way, meanwhile)));
  }

  private static RemovableFilter<String> after(
      Meanwhile meanwhile, Way way, RemovableFilter<String> filter) {
    return switch (meanwhile) {
      case NOTHING -> filter;
      case FOLDED -> {
        here.admin(filter.name()).fold();
        yield filter;
      }
      case OPENED_ANEW -> {
        String name = filter.name();
        here.admin(filter.name()).fold();
        filter.close();
        yield way.open(here, name);
      }
    };
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  @ParameterizedTest
  @MethodSource("waysAndMeanwhiles")
  void aRemovedKeyIsMissingAndReturnsWhenItIsAdded(List<Object> how) {
    Way way = (Way) how.get(0);
    Meanwhile meanwhile = (Meanwhile) how.get(1);
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 10));
    filter = after(meanwhile, way, filter);
    assertThat(filter.remove("key 3")).isTrue();
    assertThat(filter.remove("key 3")).isFalse();
    filter = after(meanwhile, way, filter);
    assertThat(filter.mightContain("key 3")).isFalse();
    assertThat(filter.mightContainEach(keys(0, 5))).containsExactly(true, true, true, false, true);
    assertThat(filter.remove("key 3")).isFalse();
    assertThat(filter.add("key 3")).isTrue();
    assertThat(filter.add("key 3")).isFalse();
    filter = after(meanwhile, way, filter);
    assertThat(filter.mightContainEach(keys(0, 11)))
        .containsExactly(true, true, true, true, true, true, true, true, true, true, false);
    assertThat(filter.remove("key 3")).isTrue();
    filter = after(meanwhile, way, filter);
    assertThat(filter.mightContain("key 3")).isFalse();
    assertThat(there.open(filter.name(), KeyType.text()).mightContain("key 3")).isFalse();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(way.retained ? 9 : 10);
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void answersComeInOrderAndTheSecondOfTwoEqualKeysIsNotThere(Way way) {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 3));
    assertThat(filter.removeEach(List.of("key 2", "no key", "key 2", "key 0", "")))
        .containsExactly(true, false, false, true, false);
    assertThat(filter.removeEach(List.of())).isEmpty();
    assertThat(filter.mightContainEach(keys(0, 3))).containsExactly(false, true, false);
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void anotherProcessHearsOfItAtOnce(Way way) {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 100));
    RemovableFilter<String> other = way.open(there, filter.name());
    assertThat(other.mightContainEach(keys(0, 100))).containsOnly(true);
    for (int i = 0; i < 20; i++) {
      String key = "key " + i;
      assertThat(filter.remove(key)).isTrue();
      assertThat(other.mightContain(key)).as(key).isFalse();
      // The trap: its own mirror showed the key a moment ago.
      assertThat(other.add(key)).as(key).isTrue();
      assertThat(filter.mightContain(key)).as(key).isTrue();
      assertThat(filter.add(key)).as(key).isFalse();
    }
    assertThat(other.addEach(keys(0, 100))).containsOnly(false);
  }

  /** No lookup comes between that would tell its mirror. */
  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void anAddIsNotAnsweredByWhatAnotherProcessRemoved(Way way) {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 20));
    RemovableFilter<String> other = way.open(there, filter.name());
    assertThat(other.addEach(keys(0, 20))).containsOnly(false);
    for (int i = 0; i < 20; i++) {
      assertThat(filter.remove("key " + i)).isTrue();
      assertThat(other.add("key " + i)).as("key " + i).isTrue();
    }
    assertThat(filter.mightContainEach(keys(0, 20))).containsOnly(true);
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void asynchronousCallsOfOneThreadTakeEffectInTheirOrder(Way way) throws Exception {
    RemovableFilter<String> filter = way.reserve(here);
    for (int round = 0; round < 5; round++) {
      List<CompletableFuture<Boolean>> answers =
          List.of(
              filter.addAsync("x"),
              filter.removeAsync("x"),
              filter.addAsync("x"),
              filter.addAsync("x"),
              filter.removeAsync("x"),
              filter.removeAsync("x"));
      List<Boolean> told = new ArrayList<>();
      for (CompletableFuture<Boolean> answer : answers) {
        told.add(answer.get());
      }
      assertThat(told).containsExactly(true, true, true, false, true, false);
      assertThat(filter.mightContain("x")).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void aRemovalCommitsAndRollsBackWithTheTransactionOfTheCaller(Way way) throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 5));
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      RemovableWrites<String> within = filter.within(connection);
      assertThat(within.remove("key 1")).isTrue();
      assertThat(within.add("key 1")).isTrue();
      assertThat(within.removeEach(List.of("key 1", "key 2", "none")))
          .containsExactly(true, true, false);
      assertThat(within.add("key 2")).isTrue();
      connection.rollback();
      assertThat(there.open(filter.name(), KeyType.text()).mightContainEach(keys(0, 5)))
          .containsOnly(true);
      within = filter.within(connection);
      assertThat(within.removeEach(keys(0, 2))).containsOnly(true);
      assertThat(within.addEach(keys(1, 3))).containsExactly(true, false);
      connection.commit();
    }
    assertThat(filter.mightContainEach(keys(0, 3))).containsExactly(false, true, true);
    here.admin(filter.name()).fold();
    assertThat(way.open(there, filter.name()).mightContainEach(keys(0, 3)))
        .containsExactly(false, true, true);
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void aClearedFilterHasNoRemovedKeys(Way way) throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    String name = filter.name();
    filter.close();
    ShortLease.of(name, sql);
    filter = way.open(here, name);
    filter.addEach(keys(0, 10));
    filter.removeEach(keys(0, 5));
    here.admin(filter.name()).fold();
    here.admin(filter.name()).clear();
    // A row that is left makes the next add of its key another entry, and is counted wrongly.
    assertThat(sql.number("SELECT COUNT(*) FROM " + sql.removed(name))).isZero();
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    assertThat(filter.addEach(keys(0, 10))).containsOnly(true);
    assertThat(filter.mightContainEach(keys(0, 10))).containsOnly(true);
    assertThat(sql.number("SELECT keys_removed FROM bloom_filter_status WHERE name = ?", name))
        .isZero();
    there.admin(name).drop();
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_removed\\_%" + name + "'")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void theKeysOfAFilterAreThoseThatAreLeft(Way way) {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 1000));
    filter.removeEach(keys(0, 1000));
    filter.addEach(keys(999, 1001));
    assertThat(there.info(filter.name()).keys()).isEqualTo(2);
    assertThat(there.status(filter.name()).orElseThrow().keys()).isEqualTo(2);
  }

  @Test
  void afterSoManyRemovalsAnErrorNamesTheRemedy() {
    RemovableFilter<String> filter =
        here.reserve(
            newName(),
            FilterSpec.builder(KeyType.text())
                .capacity(1000)
                .falsePositiveRate(1e-9)
                .onFull(OnFull.DEGRADE)
                .buildRemovable());
    filter.addEach(keys(0, 1001));
    assertThat(filter.removeEach(keys(0, 1000))).containsOnly(true);
    assertThatThrownBy(() -> filter.remove("key 1000"))
        .isInstanceOf(RemovedKeysFullException.class)
        .hasMessageContainingAll("1000 have been removed, and it allows 1000", "--from");
    assertThat(filter.mightContain("key 1000")).isTrue();
    assertThat(filter.addEach(keys(0, 10))).containsOnly(true);
    assertThat(filter.remove("key 1000")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void removalMakesNoRoomButAKeyThatReturnsNeedsNone(Way way) {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(100)
            .falsePositiveRate(1e-9)
            .onFull(OnFull.REFUSE);
    RemovableFilter<String> filter =
        here.reserve(
            newName(), (way.retained ? spec.retainHashes() : spec).buildRemovable(), way.options);
    filter.addEach(keys(0, 100));
    assertThat(filter.removeEach(keys(0, 50))).containsOnly(true);
    assertThatThrownBy(() -> filter.add("another")).isInstanceOf(FilterFullException.class);
    for (int i = 0; i < 3; i++) {
      assertThat(filter.addEach(keys(0, 50))).containsOnly(true);
      assertThat(filter.removeEach(keys(0, 50))).containsOnly(true);
    }
    assertThat(filter.addEach(keys(0, 50))).containsOnly(true);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(100);
    assertThatThrownBy(() -> filter.add("another")).isInstanceOf(FilterFullException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void withinATransactionNothingRestsOnWhatTheProcessKnewBefore(Way way) throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 3));
    RemovableFilter<String> other = way.open(there, filter.name());
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(other.remove("key 0")).isTrue();
      assertThat(filter.within(connection).addEach(keys(0, 3))).containsExactly(true, false, false);
      connection.commit();
    }
    assertThat(other.mightContain("key 0")).isTrue();
  }

  /** Such a transaction sees its own entries, but not those that others appended since. */
  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void aTransactionWithAnOldSnapshotKnowsWhatOthersAddedSince(Way way) throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    RemovableFilter<String> other = way.open(there, filter.name());
    filter.addEach(keys(0, 3));
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Sql.run(connection, "SELECT COUNT(*) FROM bloom_journal");
      other.addEach(keys(10, 13));
      other.remove("key 11");
      RemovableWrites<String> within = filter.within(connection);
      assertThat(within.add("own")).isTrue();
      assertThat(within.removeEach(List.of("key 10", "key 11", "key 1", "own", "key 20")))
          .containsExactly(true, false, true, true, false);
      connection.commit();
    }
    assertThat(filter.mightContainEach(List.of("key 10", "key 11", "key 1", "own", "key 12")))
        .containsExactly(false, false, false, false, true);
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(way.retained ? 3 : 7);
  }

  static Stream<Arguments> waysAndOwnKeys() {
    return Stream.of(Arguments.of(Way.MIRRORED, false), Arguments.of(Way.RETAINED_DIRECT, true));
  }

  /** Then even the first entry that the transaction sees is not the first of the journal. */
  @ParameterizedTest
  @MethodSource("waysAndOwnKeys")
  void aTransactionWhoseSnapshotHasNoEntriesKnowsWhatOthersAddedSince(Way way, boolean ownFirst)
      throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    RemovableFilter<String> other = way.open(there, filter.name());
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      Sql.run(connection, "SELECT COUNT(*) FROM bloom_journal");
      for (int i = 0; i < 120; i++) {
        other.add("other " + i);
      }
      RemovableWrites<String> within = filter.within(connection);
      if (ownFirst) {
        assertThat(within.add("own")).isTrue();
      }
      assertThat(within.removeEach(List.of("other 0", "other 119", "nobody's")))
          .containsExactly(true, true, false);
      connection.commit();
    }
    assertThat(filter.mightContainEach(List.of("other 0", "other 119", "other 1")))
        .containsExactly(false, false, true);
    assertThat(here.info(filter.name()).keysAdded())
        .isEqualTo((ownFirst ? 121 : 120) - (way.retained ? 2 : 0));
  }

  /** A shared table would lock the gap between the rows of two filters. */
  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void aLookForAMissingKeyInATransactionBlocksNoOtherFilter(Way way) throws SQLException {
    RemovableFilter<String> filter = way.reserve(here);
    RemovableFilter<String> other = way.reserve(here);
    filter.addEach(keys(0, 3));
    other.addEach(keys(0, 100));
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      assertThat(filter.within(connection).removeEach(keys(50, 60))).containsOnly(false);
      assertThat(filter.within(connection).remove("key 1")).isTrue();
      assertThat(other.removeEach(keys(0, 100))).containsOnly(true);
      here.admin(other.name()).fold();
      connection.rollback();
    }
    assertThat(filter.mightContain("key 1")).isTrue();
  }

  /** The plain add must not be answered by what was there before the removal that still waits. */
  @ParameterizedTest
  @EnumSource(names = {"MIRRORED", "RETAINED_DIRECT"})
  void anAddComesAfterARemovalOfTheSameThreadThatStillWaits(Way way) throws Exception {
    RemovableFilter<String> filter = way.reserve(here);
    filter.addEach(keys(0, 3));
    List<CompletableFuture<Boolean>> calls = new ArrayList<>();
    try (Connection lock =
        ByHand.holdingLockOf(filter.name(), schema.dataSource().getConnection())) {
      calls.add(filter.removeAsync("key 1"));
      LockWaits.awaitOneForAFilter(sql);
      calls.add(Calls.inBackground(() -> filter.add("key 1")));
      // It waits behind the removal, instead of being answered from what is there.
      Awaitility.await()
          .during(Duration.ofMillis(200))
          .until(() -> calls.stream().noneMatch(CompletableFuture::isDone));
      lock.rollback();
    }
    for (CompletableFuture<Boolean> call : calls) {
      assertThat(call.get()).isTrue();
    }
    assertThat(filter.mightContain("key 1")).isTrue();
  }

  @Test
  void otherFiltersCannot() {
    BloomFilter<String> filter =
        here.reserve(newName(), FilterSpec.builder(KeyType.text()).capacity(100).build());
    assertThat(filter).isNotInstanceOf(RemovableFilter.class);
  }
}
