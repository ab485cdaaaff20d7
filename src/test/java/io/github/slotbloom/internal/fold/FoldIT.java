package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How journal entries reach the slot table. */
@OddHours
@DatabaseContract
@Tag("mysql")
class FoldIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(20_000).build();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @Test
  void entriesAreFoldedSoon() {
    BloomFilter<String> filter = bloom.reserve("soon", SPEC);
    filter.addEach(List.of("a", "b"));
    await()
        .untilAsserted(
            () -> {
              assertThat(bloom.info(filter.name()).backlog()).isZero();
              assertThat(bloom.info(filter.name()).estimatedKeys()).isBetween(1.5, 2.5);
            });
  }

  @Test
  void anotherProcessFoldsTheEntriesOfADeadOne() throws SQLException {
    bloom.reserve("left", SPEC);
    try (Connection dead = schema.dataSource().getConnection()) {
      dead.setAutoCommit(false);
      ByHand.append(dead, "left", "a", 4711);
      dead.commit();
    }
    await().untilAsserted(() -> assertThat(bloom.info("left").backlog()).isZero());
    assertThat(bloom.info("left").bitsSet()).isPositive();
  }

  @Test
  void addsDoNotWaitForAFold() throws SQLException {
    BloomFilter<String> filter = bloom.reserve("busy", SPEC);
    BloomFilter<String> direct =
        bloom.open("busy", KeyType.text(), FilterOptions.defaults().withoutMirror());
    try (Connection folding = schema.dataSource().getConnection()) {
      ByHand.holdingFoldLockOf(bloom.info(filter.name()).id(), folding);
      assertThat(filter.add("a")).isTrue();
      assertThat(direct.add("b")).isTrue();
      assertThat(bloom.info(filter.name()).backlog()).isEqualTo(2);
      assertThat(bloom.info(filter.name()).bitsSet()).isZero();
      assertThat(direct.mightContainEach(List.of("a", "b", "c")))
          .containsExactly(true, true, false);
      folding.rollback();
    }
    bloom.admin(filter.name()).fold();
    assertThat(bloom.info(filter.name()).backlog()).isZero();
    assertThat(bloom.info(filter.name()).estimatedKeys()).isBetween(1.5, 2.5);
  }

  @Test
  void foldingAgainChangesNothing() throws SQLException {
    BloomFilter<String> filter = bloom.reserve("again", SPEC);
    filter.addEach(IntStream.range(0, 1000).mapToObj(i -> "key " + i).toList());
    bloom.admin(filter.name()).fold();
    List<List<String>> slots =
        sql.rows("SELECT slot, bits FROM " + sql.slots("again", 1) + " ORDER BY slot");
    bloom.admin(filter.name()).fold();
    bloom.admin("again").fold();
    assertThat(sql.rows("SELECT slot, bits FROM " + sql.slots("again", 1) + " ORDER BY slot"))
        .isEqualTo(slots);
  }
}
