package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.TransactionalWrites;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a filter does with more keys than its capacity. */
@DatabaseContract(migrated = true, onOne = true)
class WhenFullIT {

  private SlotBloom bloom;
  private BloomFilter<Long> filter;
  private DataSource dataSource;

  @BeforeEach
  void reserveForTenKeys(TestSchema schema) {
    dataSource = schema.dataSource();
    bloom = SlotBloom.on(dataSource);
    // No false positive can bring the count down.
    filter = bloom.reserve("ten", ten(OnFull.REFUSE));
  }

  private static FilterSpec<Long> ten(OnFull onFull) {
    return FilterSpec.builder(KeyType.longs())
        .capacity(10)
        .falsePositiveRate(1e-12)
        .onFull(onFull)
        .build();
  }

  @AfterEach
  void close() {
    bloom.close();
  }

  @Test
  void keysAreAddedUpToTheCapacityAndSeenKeysAreAnswered() {
    assertThat(filter.addEach(keys(0, 7))).containsOnly(true);
    assertThat(bloom.info(filter.name()).nearlyFull()).isFalse();
    assertThat(filter.add(7L)).isTrue();
    assertThat(bloom.info(filter.name()).nearlyFull()).isTrue();

    assertThatThrownBy(() -> filter.addEach(keys(7, 11))).isInstanceOf(FilterFullException.class);
    assertThat(filter.mightContainEach(keys(7, 11))).containsExactly(true, false, false, false);
    // A key that comes twice takes one place.
    assertThat(filter.addEach(List.of(8L, 9L, 9L, 8L, 0L)))
        .containsExactly(true, true, false, false, false);

    assertThatExceptionOfType(FilterFullException.class)
        .isThrownBy(() -> filter.add(10L))
        .satisfies(
            full -> {
              assertThat(full.filter()).isEqualTo("ten");
              assertThat(full.keysAdded()).isEqualTo(10);
              assertThat(full.capacity()).isEqualTo(10);
            });
    assertThat(filter.addEach(keys(0, 10))).containsOnly(false);
    assertThat(filter.mightContain(10L)).isFalse();
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(10);
  }

  @Test
  void aRefusedCallDoesNotAffectOthersInItsTransaction() {
    List<CompletableFuture<Boolean>> added = new ArrayList<>();
    for (long key = 0; key < 50; key++) {
      added.add(filter.addAsync(key % 25));
    }
    int fresh = 0;
    int refused = 0;
    for (CompletableFuture<Boolean> one : added) {
      try {
        fresh += one.join() ? 1 : 0;
      } catch (CompletionException e) {
        assertThat(e).hasCauseInstanceOf(FilterFullException.class);
        assertThat(((FilterFullException) e.getCause()).keysAdded()).isEqualTo(10);
        refused++;
      }
    }
    assertThat(fresh).isEqualTo(10);
    assertThat(refused).isEqualTo(30);
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(10);
  }

  @Test
  void addsInTheCallersTransactionAreRefused(TestSchema schema) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      TransactionalWrites<Long> adds = filter.within(connection);
      assertThat(adds.addEach(keys(0, 8))).containsOnly(true);

      assertThatThrownBy(() -> adds.addEach(keys(7, 11))).isInstanceOf(FilterFullException.class);
      assertThat(adds.addEach(keys(7, 10))).containsExactly(false, true, true);
      assertThatThrownBy(() -> adds.add(10L)).isInstanceOf(FilterFullException.class);
      assertThat(adds.add(3L)).isFalse();
      connection.commit();
    }
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(10);
    assertThatThrownBy(() -> filter.add(10L)).isInstanceOf(FilterFullException.class);
  }

  @Test
  void aFilterThatDegradesTakesMoreKeys() {
    BloomFilter<Long> other = bloom.reserve("more", ten(OnFull.DEGRADE));
    assertThat(other.addEach(keys(0, 12))).containsOnly(true);
    FilterInfo info = bloom.info(other.name());
    assertThat(info.keysAdded()).isEqualTo(12);
    assertThat(info.capacity()).isEqualTo(10);
    assertThat(info.onFull()).isEqualTo(OnFull.DEGRADE);
  }

  @Test
  void theStoredBehaviorAndTheCapacityHoldForEveryProcess() {
    filter.addEach(keys(0, 6));
    for (OnFull other : OnFull.values()) {
      try (SlotBloom another = SlotBloom.on(dataSource);
          BloomFilter<Long> opened =
              another.open("ten", ten(other), FilterOptions.defaults().withoutMirror())) {
        opened.addEach(keys(6, 10));
        assertThatThrownBy(() -> opened.add(10L)).isInstanceOf(FilterFullException.class);
        assertThat(bloom.info(opened.name()).onFull()).isEqualTo(OnFull.REFUSE);
      }
    }
    assertThatThrownBy(() -> filter.add(10L)).isInstanceOf(FilterFullException.class);
  }

  @Test
  void aFilterThatGrewHasRoomAgain() {
    filter.addEach(keys(0, 10));
    assertThatThrownBy(() -> filter.add(10L)).isInstanceOf(FilterFullException.class);
    bloom.admin("ten").grow(20);
    assertThat(filter.addEach(keys(5, 20))).endsWith(true).startsWith(false);
    assertThatThrownBy(() -> filter.add(20L)).isInstanceOf(FilterFullException.class);
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(20);
  }

  @Test
  void theFirstTransactionsOfARefusedCallAreDurable() {
    List<Long> many = new ArrayList<>(keys(0, 5));
    while (many.size() < BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      many.add(0L);
    }
    many.addAll(keys(5, 20));

    assertThatExceptionOfType(WriteFailedException.class)
        .isThrownBy(() -> filter.addEach(many))
        .satisfies(
            failed ->
                assertThat(failed.durableKeys()).isEqualTo(BloomFilter.MAX_KEYS_PER_TRANSACTION))
        .withRootCauseInstanceOf(FilterFullException.class);
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(5);
  }

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }
}
