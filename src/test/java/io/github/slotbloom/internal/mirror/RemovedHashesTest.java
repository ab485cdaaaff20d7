package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RemovedHashesTest {

  @Test
  void itAgreesWithAMap() {
    long seed = new Random().nextInt();
    Random random = new Random(seed);
    RemovedHashes set = new RemovedHashes();
    Map<Long, Long> model = new HashMap<>();
    for (long seq = 1; seq <= 20_000; seq++) {
      long hash = random.nextInt(3000);
      if (random.nextInt(3) > 0) {
        set.put(hash, seq);
        model.put(hash, seq);
      } else {
        set.remove(hash, seq);
        model.remove(hash);
      }
    }
    assertThat(set.size()).as("seed %d", seed).isEqualTo(model.size());
    for (long hash = 0; hash < 3100; hash++) {
      assertThat(set.seqOf(hash)).as("seed %d", seed).isEqualTo(model.getOrDefault(hash, 0L));
      assertThat(set.contains(hash)).isEqualTo(model.containsKey(hash));
    }
    RemovedHashes later = set.after(15_000);
    assertThat(later.size())
        .isEqualTo((int) model.values().stream().filter(seq -> seq > 15_000).count());
  }

  @Test
  void anOlderEntryChangesNothing() {
    RemovedHashes set = new RemovedHashes();
    for (long hash : new long[] {0, 5}) {
      set.put(hash, 100);
      set.remove(hash, 90);
      assertThat(set.contains(hash)).isTrue();
      set.put(hash, 80);
      assertThat(set.seqOf(hash)).isEqualTo(100);
      set.remove(hash, 101);
      assertThat(set.contains(hash)).isFalse();
    }
    assertThat(set.size()).isZero();
  }

  /** Hashes that stay are never missed, and others never found, while the set changes and grows. */
  @Test
  void lookUpsNeedNoLock() throws Exception {
    RemovedHashes set = new RemovedHashes();
    for (long hash = 0; hash < 500; hash++) {
      set.put(3 * hash, 1);
    }
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Long> looks =
        CompletableFuture.supplyAsync(
            () -> {
              long count = 0;
              while (!ended.get() || count == 0) {
                for (long hash = 0; hash < 500; hash++) {
                  assertThat(set.contains(3 * hash)).isTrue();
                  assertThat(set.contains(3 * hash + 1)).isFalse();
                  count++;
                }
              }
              return count;
            });
    Random random = new Random(1);
    for (long seq = 2; seq < 400_000; seq++) {
      long hash = 3L * random.nextInt(20_000) + 2;
      if (random.nextBoolean()) {
        set.put(hash, seq);
      } else {
        set.remove(hash, seq);
      }
    }
    ended.set(true);
    assertThat(looks.get()).isPositive();
  }
}
