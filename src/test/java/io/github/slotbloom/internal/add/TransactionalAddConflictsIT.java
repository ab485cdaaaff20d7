package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.Calls.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.CallersTransactions;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Transactions of callers that add to one filter at the same time. */
@DatabaseContract
@Tag("mysql")
class TransactionalAddConflictsIT extends CallersTransactions {

  @ParameterizedTest
  @EnumSource
  void otherWritersGetNoAnswerBeforeTheTransactionEnds(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    BloomFilter<String> elsewhere = openThere(filter);
    for (boolean commits : new boolean[] {true, false}) {
      String key = "commits " + commits;
      try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
        assertThat(filter.within(connection).add(key)).isTrue();
        CompletableFuture<Boolean> sameProcess = filter.addAsync(key);
        CompletableFuture<Boolean> otherProcess = elsewhere.addAsync(key);
        awaitLockWait(sameProcess);
        assertThat(otherProcess).isNotDone();
        if (commits) {
          connection.commit();
        } else {
          connection.rollback();
        }
        assertThat(List.of(get(sameProcess), get(otherProcess)))
            .containsExactlyInAnyOrder(!commits, false);
      }
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(2);
  }

  @Test
  void aTimedOutAddNamesTransactionsOfCallersAsTheLikelyCause() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    BloomFilter<String> hasty = Use.MIRRORED.open(there, filter.name(), Duration.ofSeconds(1));
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      assertThat(filter.within(connection).add("a")).isTrue();
      assertThatThrownBy(() -> hasty.add("b"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("BloomFilter.within");
      connection.rollback();
    }
    assertThat(filter.mightContain("b")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsSeenOnlyAfterTheCommit(Use use) throws Exception {
    BloomFilter<String> filter = reserve(use);
    Duration bound = Duration.ofSeconds(1);
    BloomFilter<String> bounded =
        here.open(filter.name(), KeyType.text(), use.options().freshness(Freshness.bounded(bound)));
    List<BloomFilter<String>> all = List.of(filter, bounded, openThere(filter));
    try (Connection connection = begin(Isolation.REPEATABLE_READ)) {
      TransactionalWrites<String> adds = filter.within(connection);
      assertThat(adds.addEach(List.of("a", "b"))).containsOnly(true);
      assertThat(adds.add("a")).isFalse();
      for (BloomFilter<String> each : all) {
        assertThat(each.mightContainEach(List.of("a", "b"))).containsOnly(false);
        assertThat(each.mightContain("a")).isFalse();
      }
      connection.commit();
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(all.get(2).mightContain("b")).isTrue();
      await().until(() -> bounded.mightContain("a"));
    }
  }

  @Test
  void aKeyThatTheMirrorKnowsIsAnsweredWithoutTheLock() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    filter.addEach(List.of("known", "known too"));
    try (Connection lock = schema.dataSource().getConnection();
        Connection connection = begin(Isolation.REPEATABLE_READ)) {
      ByHand.holdingLockOf(filter.name(), lock);
      Sql.run(connection, "SET SESSION innodb_lock_wait_timeout = 1");
      TransactionalWrites<String> adds = filter.within(connection);
      // After a pause of this process the mirror may have to hear of the database first.
      await()
          .ignoreExceptionsInstanceOf(WriteFailedException.class)
          .until(() -> !adds.add("known"));
      assertThat(adds.addEach(List.of("known too", "known"))).containsOnly(false);
      assertThatThrownBy(() -> adds.add("not known")).isInstanceOf(WriteFailedException.class);
      lock.rollback();
      connection.rollback();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(2);
  }

  /** A lock on a gap of the journal would let two transactions wait for each other for good. */
  @ParameterizedTest
  @MethodSource("everyUseAndLevel")
  void transactionsOnDifferentFiltersDoNotWaitForEachOther(Use use, Isolation isolation)
      throws Exception {
    BloomFilter<String> elsewhere = openThere(reserve(use));
    BloomFilter<String> last = reserve(use);
    HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1));
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = use.open(bloom, elsewhere.name());
      try (Connection connection = begin(pool.getConnection(), isolation);
          Connection other = begin(isolation)) {
        elsewhere.addEach(List.of("a", "b"));
        elsewhere.add("c");
        // Reads the tail, and writes nothing.
        assertThat(filter.within(connection).addEach(List.of("a", "c"))).containsOnly(false);
        Sql.run(other, "SET SESSION innodb_lock_wait_timeout = 1");
        assertThat(last.within(other).add("first entry")).isTrue();
        other.commit();
        connection.commit();
      }
    }
  }
}
