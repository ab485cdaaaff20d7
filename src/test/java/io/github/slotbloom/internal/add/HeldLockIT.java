package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody else's transaction holds the lock that orders the writers of a filter. */
@DatabaseContract
@Timeout(300)
@Tag("mysql")
class HeldLockIT {

  private static final Use USE = Use.MIRRORED;

  /** A call gets to the lock before it gives up, also on a machine with much to do. */
  private static final Duration IN_TIME_FOR_THE_LOCK = Duration.ofSeconds(2);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;

  @Test
  @Timeout(45)
  void anAddFailsInTimeSaysThatTheLockIsHeldAndIsNeverRecorded() throws Exception {
    String name = "held";
    BloomFilter<String> patient = USE.reserve(bloom, name);
    assertThat(patient.add("before")).isTrue();
    BloomFilter<String> filter = USE.open(bloom, name, IN_TIME_FOR_THE_LOCK);
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf(name, lock);
      CompletableFuture<Boolean> async = filter.addAsync("async");
      WriteFailedException failure =
          catchThrowableOfType(
              WriteFailedException.class, () -> filter.addEach(List.of("a", "b", "c")));
      assertThat(failure.filter()).isEqualTo(name);
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure.durableKeys()).isZero();
      assertThat(failure)
          .hasMessageContainingAll(
              "Could not add to filter " + name, "2 s", "another transaction", "lock");
      await().until(async::isCompletedExceptionally);
      assertThat(patient.mightContain("before")).isTrue();
      lock.rollback();
    }
    assertThat(filter.add("after")).isTrue();
    assertThat(patient.mightContainEach(List.of("async", "a", "b", "c"))).containsOnly(false);
    assertThat(patient.addEach(List.of("async", "a", "b", "c"))).containsOnly(true);
    assertThat(bloom.info(patient.name()).keysAdded()).isEqualTo(6);
  }

  @Test
  void aFullQueueDelaysAddAndRefusesAddAsync() throws Exception {
    int capacity = BloomFilter.MAX_KEYS_PER_TRANSACTION;
    bloom.reserve("full", Use.MIRRORED.spec(KeyType.text(), 3 * capacity)).close();
    BloomFilter<String> filter =
        bloom.open("full", KeyType.text(), FilterOptions.defaults().queueCapacity(capacity));
    List<CompletableFuture<Boolean>> accepted = new ArrayList<>();
    CompletableFuture<Boolean> delayed;
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf("full", lock);
      // One transaction waits for the lock, another fills the queue.
      WriteFailedException refused =
          catchThrowableOfType(
              WriteFailedException.class,
              () -> {
                for (int i = 0; i <= 2 * capacity; i++) {
                  accepted.add(filter.addAsync("key " + i));
                }
              });
      assertThat(refused.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(refused).hasMessageContainingAll("queue is full", "" + capacity);
      delayed = CompletableFuture.supplyAsync(() -> filter.add("delayed"));
      assertThat(delayed).isNotDone();
      lock.rollback();
    }
    assertThat(delayed.get(60, TimeUnit.SECONDS)).isTrue();
    for (CompletableFuture<Boolean> one : accepted) {
      assertThat(one.get(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(filter.mightContain("key " + accepted.size())).isFalse();
  }
}
