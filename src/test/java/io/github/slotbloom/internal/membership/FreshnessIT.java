package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How soon one process sees what another one added. */
@DatabaseContract(onOne = true)
@Tag("mysql")
class FreshnessIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  @ParameterizedTest
  @EnumSource
  void aStrictLookupSeesEveryAddThatReturnedBefore(Use use) {
    FilterSpec<String> spec = use.spec(KeyType.text());
    BloomFilter<String> adding = here.reserve(use.filterName(), spec);
    BloomFilter<String> asking = there.open(use.filterName(), spec, use.options());
    BloomFilter<String> addingThereToo = there.open(use.filterName(), spec);
    for (int i = 0; i < 10; i++) {
      assertThat(asking.mightContain("key " + i)).isFalse();
      assertThat(adding.add("key " + i)).isTrue();
      assertThat(asking.mightContain("key " + i)).isTrue();
      assertThat(addingThereToo.add("key " + i)).isFalse();
      List<String> more = List.of("more " + i, "other " + i);
      assertThat(addingThereToo.addEach(more)).containsOnly(true);
      assertThat(asking.mightContainEach(more)).containsOnly(true);
      assertThat(adding.mightContainEach(more)).containsOnly(true);
    }
  }

  @Test
  void aLookupReadsNoEntriesWhileNobodyWrites() {
    RecordedSql sent = new RecordedSql(schema.pool(pool -> {}));
    BloomFilter<String> adding = here.reserve("quiet", Use.MIRRORED.spec(KeyType.text()));
    try (SlotBloom recorded = SlotBloom.on(sent.dataSource());
        BloomFilter<String> asking = recorded.open("quiet", KeyType.text())) {
      for (int i = 0; i < 3; i++) {
        assertThat(asking.mightContain("key " + i)).isFalse();
        sent.clear();
        assertThat(asking.mightContain("key " + i)).isFalse();
        assertThat(sent.texts())
            .anyMatch(text -> text.contains("bloom_journal beyond"))
            .noneMatch(text -> text.contains("`bloom_journal`.`payload`"));
        assertThat(adding.add("key " + i)).isTrue();
        // Or whoever folds in the background may read the entry while the next lookup is looked
        // at.
        here.admin(adding.name()).fold();
        assertThat(asking.mightContain("key " + i)).isTrue();
      }
    }
  }

  @Test
  void aBoundedLookupSeesAnAddWithinItsBound() {
    FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
    BloomFilter<String> adding = here.reserve("bounded", spec);
    Duration bound = Duration.ofMillis(500);
    BloomFilter<String> asking =
        there.open("bounded", spec, FilterOptions.defaults().freshness(Freshness.bounded(bound)));
    for (int i = 0; i < 3; i++) {
      String key = "key " + i;
      adding.add(key);
      long returned = System.nanoTime();
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                boolean late = System.nanoTime() - returned > bound.toNanos();
                boolean seen = asking.mightContain(key);
                assertThat(seen || !late).as("within the bound, or not yet due").isTrue();
                return seen;
              });
    }
  }

  @Test
  void anEndlessBoundIsLimitedByTheLease() {
    FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
    BloomFilter<String> adding = here.reserve("boundless", spec);
    Freshness boundless = Freshness.bounded(Duration.ofSeconds(Long.MAX_VALUE));
    BloomFilter<String> asking =
        there.open("boundless", spec, FilterOptions.defaults().freshness(boundless));
    assertThat(asking.mightContain("key")).isFalse();
    adding.add("key");
    await().until(() -> asking.mightContain("key"));
  }

  @Test
  void aLookupNeverWaitsForTheLockOfWriters() throws Exception {
    FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
    BloomFilter<String> mirrored = here.reserve("unlocked", spec);
    BloomFilter<String> direct =
        there.open("unlocked", spec, FilterOptions.defaults().withoutMirror());
    mirrored.add("a");
    try (Connection lock = schema.dataSource().getConnection()) {
      ByHand.holdingLockOf("unlocked", lock);
      Sql.run(lock, "SELECT * FROM bloom_fold FOR UPDATE");
      CompletableFuture<Boolean> answers =
          CompletableFuture.supplyAsync(
              () ->
                  mirrored.mightContain("a")
                      && direct.mightContain("a")
                      && !mirrored.mightContain("b")
                      && !direct.mightContain("b")
                      && there.info("unlocked").keysAdded() == 1);
      assertThat(answers.get(60, TimeUnit.SECONDS)).isTrue();
      lock.rollback();
    }
  }
}
