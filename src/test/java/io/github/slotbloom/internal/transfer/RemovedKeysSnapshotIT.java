package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Removed keys in an export, and in what is made of it. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
class RemovedKeysSnapshotIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec<String> spec(boolean retained, long capacity) {
    FilterSpec.Builder<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(capacity).falsePositiveRate(1e-9);
    return (retained ? spec.retainHashes() : spec).buildRemovable(40);
  }

  private static String imported(String name) throws IOException {
    String copied = newName();
    there.importFrom(copied, new ByteArrayInputStream(export(here, name)));
    return copied;
  }

  private static String copied(String name) {
    String copied = newName();
    there.admin(name).copyTo(copied);
    return copied;
  }

  private static List<BloomFilter<String>> uses(String name) {
    return List.of(here.open(name, KeyType.text()), Use.DIRECT.open(there, name));
  }

  private static long column(String column, String name) throws SQLException {
    return sql.number(
        "SELECT "
            + column
            + " FROM bloom_journal WHERE seq = 0 AND filter_id = (SELECT id FROM bloom_filter"
            + " WHERE name = ?)",
        name);
  }

  @Test
  void removedKeysStayRemovedInAnImportAndInACopy() throws Exception {
    String name = newName();
    FilterSpec<String> spec = spec(false, 2000);
    BloomFilter<String> filter = here.reserve(name, spec);
    filter.addEach(keys("a", 500));
    Removing.from(filter).removeEach(keys("a", 100));
    filter.addEach(keys("a", 50));
    here.admin(name).grow(4000);
    filter.addEach(keys("b", 500));
    Removing.from(filter).removeEach(keys("b", 10));
    for (String copy : List.of(imported(name), copied(name))) {
      assertThat(column("keys_removed", copy)).isEqualTo(60);
      assertThat(column("keys_added", copy)).isEqualTo(column("keys_added", name));
      assertThat(here.info(there.open(copy, spec).name()).keysAdded())
          .isEqualTo(here.info(filter.name()).keysAdded());
      for (BloomFilter<String> use : uses(copy)) {
        boolean[] a = use.mightContainEach(keys("a", 500));
        boolean[] b = use.mightContainEach(keys("b", 500));
        for (int i = 0; i < 500; i++) {
          assertThat(a[i]).isEqualTo(i < 50 || i >= 100);
          assertThat(b[i]).isEqualTo(i >= 10);
        }
      }
      // It lives on as any other.
      BloomFilter<String> use = uses(copy).get(0);
      assertThat(use.add("a60")).isTrue();
      assertThat(use.add("a60")).isFalse();
      assertThat(Removing.from(use).remove("a70")).isFalse();
      assertThat(Removing.from(use).remove("a0")).isTrue();
      assertThat(Removing.from(use).remove("a0")).isFalse();
      here.admin(use.name()).fold();
      assertThat(column("keys_removed", copy)).isEqualTo(60);
      for (BloomFilter<String> later : uses(copy)) {
        assertThat(later.mightContain("a60")).isTrue();
        assertThat(later.mightContain("a0")).isFalse();
      }
      assertThat(there.admin(copy).verify(VerifyOptions.defaults()))
          .matches(VerifyReport::sound, "sound");
      there.admin(copy).drop();
      assertThat(
              sql.number(
                  "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema ="
                      + " DATABASE() AND table_name LIKE ?",
                  "bloom\\_removed\\_" + copy + "\\_v%"))
          .isZero();
    }
  }

  @Test
  void hashesThatAreNotHeldAreNotExported() throws Exception {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, spec(true, 5000));
    filter.addEach(keys("a", 1000));
    Removing.from(filter).removeEach(keys("a", 300));
    here.admin(name).replace(5000, KeySource.journal(), ReplaceOptions.defaults());
    // Of these the new generation knows nothing, and the journal still has both.
    Removing.from(filter).removeEach(keys("a", 400));
    filter.addEach(keys("a", 100));
    for (String copy : List.of(imported(name), copied(name))) {
      assertThat(
              sql.number(
                  "SELECT SUM(LENGTH(hashes)) DIV 8 FROM bloom_hash_block WHERE filter_id = ?",
                  there.info(copy).id()))
          .isEqualTo(700);
      there.admin(copy).replace(6000, KeySource.journal(), ReplaceOptions.defaults());
      for (BloomFilter<String> use : uses(copy)) {
        boolean[] found = use.mightContainEach(keys("a", 1000));
        for (int i = 0; i < 1000; i++) {
          assertThat(found[i]).isEqualTo(i < 100 || i >= 400);
        }
      }
    }
  }

  @Test
  void anExportUnderLoadHasEachKeyAsItWasAtSomeMoment() throws Exception {
    String name = newName();
    // It grows meanwhile.
    here.reserve(name, spec(true, 450)).addEach(keys("busy ", 400));
    Map<String, Boolean> settled = new ConcurrentHashMap<>();
    Set<String> busy = ConcurrentHashMap.newKeySet();
    AtomicInteger next = new AtomicInteger();
    AtomicBoolean enough = new AtomicBoolean();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (SlotBloom bloom : List.of(here, there)) {
      BloomFilter<String> filter = bloom.open(name, KeyType.text());
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!enough.get()) {
                  String key = "key " + next.getAndIncrement();
                  filter.add(key);
                  if (ThreadLocalRandom.current().nextInt(3) > 0) {
                    settled.put(key, true);
                  } else {
                    assertThat(Removing.from(filter).remove(key)).isTrue();
                    settled.put(key, false);
                  }
                  String other = "busy " + ThreadLocalRandom.current().nextInt(400);
                  if (busy.add(other)) {
                    Removing.from(filter).remove(other);
                    filter.add(other);
                    busy.remove(other);
                  }
                }
              }));
    }
    try {
      for (int round = 1; round <= 2; round++) {
        int wanted = round * 100;
        await().until(() -> settled.size() > wanted);
        Map<String, Boolean> before = Map.copyOf(settled);
        List<String> order = List.copyOf(before.keySet());
        String copied = imported(name);
        assertAs(before, order, copied);
        there.admin(copied).replace(5_000, KeySource.journal(), ReplaceOptions.defaults());
        assertAs(before, order, copied);
      }
    } finally {
      enough.set(true);
      writers.forEach(CompletableFuture::join);
    }
  }

  private static void assertAs(Map<String, Boolean> expected, List<String> order, String name) {
    for (BloomFilter<String> use : uses(name)) {
      boolean[] found = use.mightContainEach(order);
      assertThat(
              IntStream.range(0, found.length).filter(i -> found[i] != expected.get(order.get(i))))
          .isEmpty();
    }
  }
}
