package io.github.slotbloom.internal.add;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process without a mirror looks many keys up before it takes the lock. What others do between
 * the two counts as if it had looked them up under the lock.
 */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class LookAheadIT {

  private static final List<Long> OLD = keys(0, 100);
  private static final List<Long> ASKED = keys(0, 400);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private interface Others {
    void act(BloomFilter<Long> filter) throws Exception;
  }

  /** What a process is told of {@link #ASKED} where others act before it gets the lock. */
  private static boolean[] addEachWhile(BloomFilter<Long> filter, Others others) throws Exception {
    try (BehindNetwork here = new BehindNetwork(schema);
        BloomFilter<Long> direct =
            here.bloom().open(filter.name(), KeyType.longs(), Use.DIRECT.options())) {
      Trap trap =
          here.network().trap(Trap.Place.BEFORE_SERVER, "from `?bloom_filter`?.* for update");
      CompletableFuture<boolean[]> answers =
          CompletableFuture.supplyAsync(() -> direct.addEach(ASKED));
      trap.caught().get(60, TimeUnit.SECONDS);
      others.act(filter);
      trap.release();
      boolean[] fresh = answers.get(60, TimeUnit.SECONDS);
      assertThat(direct.addEach(ASKED)).containsOnly(false);
      return fresh;
    }
  }

  private static BloomFilter<Long> reserveWithOldKeys() {
    BloomFilter<Long> filter = there.reserve(newName(), Use.MIRRORED.spec(KeyType.longs()));
    filter.addEach(OLD);
    return filter;
  }

  private static void assertNewFrom(int firstNew, Others others) throws Exception {
    BloomFilter<Long> filter = reserveWithOldKeys();
    assertNewFrom(firstNew, addEachWhile(filter, others));
    assertThat(filter.mightContainEach(ASKED)).containsOnly(true);
    assertThat(filter.addEach(ASKED)).containsOnly(false);
    assertThat(there.info(filter.name()).keysAdded()).isEqualTo(ASKED.size());
  }

  private static void assertNewFrom(int firstNew, boolean[] fresh) {
    for (int key = 0; key < fresh.length; key++) {
      assertThat(fresh[key]).as("key %d", key).isEqualTo(key >= firstNew);
    }
  }

  @Test
  void keysThatOthersAddMeanwhileAreNotNew() throws Exception {
    assertNewFrom(
        151,
        filter -> {
          filter.addEach(keys(100, 150));
          filter.add(150L);
        });
  }

  @Test
  void keysThatOthersAddMeanwhileAreNotNewAfterTheirEntriesWereTrimmed() throws Exception {
    assertNewFrom(
        201,
        filter -> {
          filter.addEach(keys(100, 200));
          there.admin(filter.name()).fold();
          filter.add(200L);
          sql.run(
              "DELETE FROM bloom_journal WHERE filter_id = ? AND seq IN (1, 2)",
              there.info(filter.name()).id());
        });
  }

  @Test
  void allKeysAreNewIfOthersClearTheFilterMeanwhile() throws Exception {
    assertNewFrom(0, filter -> there.admin(filter.name()).clear());
  }

  @Test
  void keysThatOthersAddToAGrownFilterMeanwhileAreNotNew() throws Exception {
    assertNewFrom(
        150,
        filter -> {
          there.admin(filter.name()).grow(2 * Use.CAPACITY);
          filter.addEach(keys(100, 150));
        });
  }

  @Test
  void keysThatAFailoverLosesMeanwhileAreNew() throws Exception {
    BloomFilter<Long> filter = reserveWithOldKeys();
    there.admin(filter.name()).fold();
    long id = there.info(filter.name()).id();
    try (Connection folding = ByHand.holdingFoldLockOf(id, schema.dataSource().getConnection())) {
      filter.addEach(keys(100, 200));
      boolean[] fresh =
          addEachWhile(
              filter,
              lost -> {
                try (Connection failover =
                    ByHand.transaction(schema.dataSource().getConnection())) {
                  ByHand.loseEntriesAfter(1, id, failover);
                  ByHand.append(failover, lost.name(), ByHand.hash(399), 42);
                  failover.commit();
                }
              });
      assertNewFrom(100, Arrays.copyOf(fresh, 399));
      assertThat(fresh[399]).as("that took their place").isFalse();
      folding.rollback();
    }
  }
}
