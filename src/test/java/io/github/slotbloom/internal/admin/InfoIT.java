package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The figures of a filter tell of all keys, also of those that are not folded yet. */
@DatabaseContract(shortLeases = true)
class InfoIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  private final String name = FilterNames.newName();

  @ParameterizedTest
  @EnumSource(Layout.class)
  void infoIsTheSameBeforeAndAfterFolding(Layout layout) throws SQLException {
    List<String> keys = keys("key ", 12_000);
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(5000)
            .falsePositiveRate(0.01)
            .layout(layout)
            .build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys.subList(0, 1000));
      bloom.admin(filter.name()).fold();
      FilterInfo before;
      try (Connection folding =
          ByHand.holdingFoldLockOf(
              bloom.info(filter.name()).id(), schema.dataSource().getConnection())) {
        filter.addEach(keys.subList(1000, 4000));
        bloom.admin(name).grow(15_000);
        filter.addEach(keys.subList(4000, 12_000));
        before = bloom.info(name);
        folding.rollback();
      }
      bloom.admin(filter.name()).fold();
      FilterInfo after = bloom.info(name);

      assertThat(before.backlog()).isPositive();
      assertThat(before.unfoldedKeys()).isBetween(10_800L, 11_000L);
      assertThat(before.bitsSet()).isLessThan(after.bitsSet() / 4);
      requireSame(before.estimatedKeys(), after.estimatedKeys(), 2);
      requireSame(before.fill(), after.fill(), 2);
      requireSame(before.currentFalsePositiveRate(), after.currentFalsePositiveRate(), 20);
      for (int i = 0; i < after.generations().size(); i++) {
        Generation unfolded = before.generations().get(i);
        Generation folded = after.generations().get(i);
        assertThat(unfolded.unfoldedKeys()).isPositive();
        assertThat(folded.unfoldedKeys()).isZero();
        requireSame(unfolded.fill(), folded.fill(), 2);
        requireSame(unfolded.currentFalsePositiveRate(), folded.currentFalsePositiveRate(), 20);
      }
    }
  }

  /** As after a part of a large batch: its bits are in the slots, and its entries wait. */
  @Test
  void keysAreNotCountedTwiceWhileABatchIsFoldedInParts() throws SQLException {
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(5000).build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys("key ", 4000));
      bloom.admin(filter.name()).fold();
      FilterInfo folded = bloom.info(filter.name());
      try (Connection folding =
          ByHand.holdingFoldLockOf(folded.id(), schema.dataSource().getConnection())) {
        Sql.run(folding, "UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", folded.id());
        folding.commit();
      }
      FilterInfo between = bloom.info(name);

      assertThat(between.unfoldedKeys()).isEqualTo(folded.keysAdded());
      requireSame(between.estimatedKeys(), folded.estimatedKeys(), 2);
      requireSame(between.fill(), folded.fill(), 2);
      requireSame(between.currentFalsePositiveRate(), folded.currentFalsePositiveRate(), 20);
    }
  }

  @Test
  void infoShowsAGenerationThatIsBeingFilledAlone() throws Exception {
    List<String> keys = keys("key ", 4000);
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(6000).build();
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys.subList(0, 3000));
      bloom.admin(filter.name()).fold();
      FilterInfo before;
      try (Connection folding =
              ByHand.holdingFoldLockOf(
                  bloom.info(filter.name()).id(), schema.dataSource().getConnection());
          HeldReplacement replacement =
              new HeldReplacement(bloom, name, 20_000, keys.subList(0, 3000))) {
        filter.addEach(keys.subList(3000, 4000));
        before = bloom.info(name);
        folding.rollback();
        bloom.admin(filter.name()).fold();
        FilterInfo after = bloom.info(name);

        assertThat(before.capacity()).isEqualTo(6000);
        assertThat(before.replacementCapacity()).hasValue(20_000);
        requireSame(before.estimatedKeys(), 4000, 2);
        requireSame(before.fill(), after.fill(), 2);
        requireSame(before.currentFalsePositiveRate(), after.currentFalsePositiveRate(), 20);
        assertThat(before.generations())
            .extracting(Generation::state)
            .containsExactly(State.ACTIVE, State.FILLING);
        Generation unfolded = before.generations().get(1);
        Generation folded = after.generations().get(1);
        assertThat(unfolded.unfoldedKeys()).isBetween(1000L, 4000L);
        assertThat(folded.unfoldedKeys()).isZero();
        requireSame(unfolded.fill(), folded.fill(), 2);
        replacement.finish();
      }
      bloom.admin(filter.name()).fold();
      assertThat(bloom.info(filter.name()).generations())
          .extracting(Generation::state)
          .containsExactly(State.ACTIVE);
    }
  }

  private static void requireSame(double before, double after, int percent) {
    assertThat(before).isCloseTo(after, withinPercentage(percent));
  }
}
