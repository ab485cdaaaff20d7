package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key of two merged filters is missing only if both lack it. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class RemovedKeysMergeIT {

  private static final int EACH = 30;

  /** What became of a key in one filter. */
  private enum Fate {
    MEMBER,
    REMOVED,
    UNKNOWN;

    void apply(BloomFilter<String> filter, List<String> keys) {
      if (this != UNKNOWN) {
        filter.addEach(keys);
      }
      if (this == REMOVED) {
        Removing.from(filter).removeEach(keys);
      }
    }
  }

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec.Builder<String> plain() {
    return FilterSpec.builder(KeyType.text()).capacity(5000).falsePositiveRate(1e-9).seed(7);
  }

  private static FilterSpec<String> spec(boolean retained) {
    FilterSpec.Builder<String> spec = plain();
    return (retained ? spec.retainHashes() : spec).buildRemovable(100);
  }

  private static BloomFilter<String> reserve(FilterSpec<String> spec) {
    return here.reserve(newName(), spec);
  }

  private static List<BloomFilter<String>> uses(BloomFilter<String> filter) {
    return List.of(
        filter, there.open(filter.name(), KeyType.text()), Use.DIRECT.open(there, filter.name()));
  }

  private static long column(String column, BloomFilter<String> filter) throws SQLException {
    return sql.number(
        "SELECT " + column + " FROM bloom_journal WHERE seq = 0 AND filter_id = ?",
        here.info(filter.name()).id());
  }

  private static long removedRows(BloomFilter<String> filter) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM " + sql.removed(filter.name()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aKeyIsMissingOnlyIfBothLackIt(boolean retained) throws Exception {
    BloomFilter<String> from = reserve(spec(retained));
    BloomFilter<String> into = reserve(spec(retained));
    List<BloomFilter<String>> uses = uses(into);
    for (Fate ofFrom : Fate.values()) {
      for (Fate ofInto : Fate.values()) {
        ofFrom.apply(from, keys(ofFrom + " " + ofInto + " ", EACH));
        ofInto.apply(into, keys(ofFrom + " " + ofInto + " ", EACH));
      }
    }
    if (!retained) {
      here.admin(from.name()).fold();
      here.admin(into.name()).fold();
    }
    // A repeated merge finds nothing to change.
    for (int round = 1; round <= 2; round++) {
      there.admin(from.name()).mergeInto(into.name());
      assertUnion(uses);
      assertThat(column("keys_removed", into)).isEqualTo(3 * EACH);
      assertThat(removedRows(into)).isEqualTo(3 * EACH);
      long counted = column("keys_added", into) + (retained ? 3 * EACH : 0);
      assertThat(counted).isBetween(8L * EACH - 8, 8L * EACH + 8);
    }
    assertUnion(uses(into));
    if (retained) {
      there
          .admin(into.name())
          .replace(6000, KeySource.journal(), ReplaceOptions.defaults().forced());
      assertUnion(uses);
    }
    for (BloomFilter<String> use : uses) {
      String key = "REMOVED UNKNOWN 1";
      assertThat(Removing.from(use).remove(key)).isFalse();
      assertThat(use.add(key)).isTrue();
      assertThat(use.add(key)).isFalse();
      assertThat(Removing.from(use).remove(key)).isTrue();
    }
  }

  private static void assertUnion(List<BloomFilter<String>> uses) {
    for (BloomFilter<String> use : uses) {
      for (Fate ofFrom : Fate.values()) {
        for (Fate ofInto : Fate.values()) {
          assertThat(use.mightContainEach(keys(ofFrom + " " + ofInto + " ", EACH)))
              .as("%s and %s", ofFrom, ofInto)
              .containsOnly(ofFrom == Fate.MEMBER || ofInto == Fate.MEMBER);
        }
      }
    }
  }

  @Test
  void aFilterThatCannotKeepRemovedKeysTakesNone() throws Exception {
    BloomFilter<String> from = reserve(spec(false));
    BloomFilter<String> into = reserve(plain().build());
    from.addEach(keys("a", 100));
    here.admin(from.name()).mergeInto(into.name());
    assertThat(into.mightContainEach(keys("a", 100))).containsOnly(true);
    Removing.from(from).remove("a1");
    long end = here.info(into.name()).lastSequence();
    assertThatThrownBy(() -> here.admin(from.name()).mergeInto(into.name()))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("were removed from filter " + from.name())
        .hasMessageContaining("--removable");
    assertThat(here.info(into.name()).lastSequence()).isEqualTo(end);

    // The other way round its keys come back.
    BloomFilter<String> removable = reserve(spec(false));
    removable.addEach(keys("a", 5));
    Removing.from(removable).removeEach(keys("a", 5));
    here.admin(into.name()).mergeInto(removable.name());
    assertThat(removable.mightContainEach(keys("a", 100))).containsOnly(true);
    assertThat(column("keys_removed", removable)).isZero();
  }

  @Test
  void tooManyRemovedKeysAreRefusedBeforeAnythingIsWritten() throws Exception {
    BloomFilter<String> from = reserve(spec(false));
    BloomFilter<String> into = reserve(plain().onFull(OnFull.DEGRADE).buildRemovable(1));
    from.addEach(keys("a", 2700));
    Removing.from(from).removeEach(keys("a", 2600));
    into.addEach(keys("b", 2700));
    Removing.from(into).removeEach(keys("b", 2500));
    long end = here.info(into.name()).lastSequence();
    assertThatThrownBy(() -> here.admin(from.name()).mergeInto(into.name()))
        .isInstanceOf(RemovedKeysFullException.class)
        .hasMessageContaining("would then have 5100 removed keys, and it allows 5000");
    assertThat(here.info(into.name()).lastSequence()).isEqualTo(end);
    from.addEach(keys("b", 200));
    here.admin(from.name()).mergeInto(into.name());
    assertThat(column("keys_removed", into)).isEqualTo(4900);

    // With more it would be rebuilt automatically meanwhile.
    BloomFilter<String> retaining = reserve(plain().retainHashes().buildRemovable(1));
    BloomFilter<String> other = reserve(spec(true));
    other.addEach(keys("a", 1001));
    Removing.from(other).removeEach(keys("a", 1001));
    assertThatThrownBy(() -> here.admin(other.name()).mergeInto(retaining.name()))
        .isInstanceOf(RemovedKeysFullException.class)
        .hasMessageContaining("would then have 1001 removed keys, and it allows 1000")
        .hasMessageContaining("--from-journal");
    other.add("a0");
    here.admin(other.name()).mergeInto(retaining.name());
    assertThat(retaining.mightContainEach(keys("a", 2))).containsExactly(true, false);
  }

  /** Each of the keys that others change is one of the merge, too. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatOthersDoMeanwhileStays(boolean retained) throws Exception {
    BloomFilter<String> from = reserve(spec(retained));
    BloomFilter<String> into = reserve(spec(retained));
    from.addEach(keys("removed there ", 10));
    Removing.from(from).removeEach(keys("removed there ", 10));
    for (String prefix : List.of("common ", "removed here ")) {
      from.addEach(keys(prefix, 10));
      into.addEach(keys(prefix, 10));
    }
    Removing.from(into).removeEach(keys("removed here ", 10));
    BloomFilter<String> other = there.open(into.name(), KeyType.text());
    AtomicBoolean done = new AtomicBoolean();
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    try (SlotBloom merging = SlotBloom.on(tapped.dataSource())) {
      tapped.loseCommit(
          "SELECT COUNT(*) > 1 FROM bloom_journal WHERE kind = 'REMOVE' AND filter_id = "
              + here.info(into.name()).id(),
          commit -> {
            commit.execute("COMMIT");
            here.admin(other.name()).fold();
            assertThat(there.admin(into.name()).verify(VerifyOptions.defaults()).findings())
                .isEmpty();
            assertThat(other.add("removed there 0")).isTrue();
            assertThat(other.add("removed there 1")).isTrue();
            assertThat(Removing.from(other).remove("removed there 1")).isTrue();
            assertThat(Removing.from(other).remove("common 0")).isTrue();
            assertThat(other.add("removed here 0")).isTrue();
            assertThat(other.add("removed here 1")).isTrue();
            assertThat(Removing.from(other).remove("removed here 1")).isTrue();
            done.set(true);
          });
      merging.admin(from.name()).mergeInto(into.name());
    }
    assertThat(done).isTrue();
    if (retained) {
      assertMergedButForChanges(uses(into));
      // The first one still sees in the table what is removed, the second one in the hashes alone.
      for (long capacity : new long[] {6000, 7000}) {
        here.admin(into.name())
            .replace(capacity, KeySource.journal(), ReplaceOptions.defaults().forced());
      }
    }
    assertMergedButForChanges(uses(into));
  }

  private static void assertMergedButForChanges(List<BloomFilter<String>> uses) {
    for (BloomFilter<String> use : uses) {
      for (int i = 0; i < 10; i++) {
        assertThat(use.mightContain("removed there " + i)).isEqualTo(i == 0);
        assertThat(use.mightContain("common " + i)).isEqualTo(i != 0);
        assertThat(use.mightContain("removed here " + i)).isEqualTo(i != 1);
      }
    }
  }

  @Test
  void noKeyIsLostOrComesBackWhileBothFiltersAreWritten() throws Exception {
    BloomFilter<String> from = reserve(spec(true));
    BloomFilter<String> into = reserve(spec(true));
    // Some of those that are added and removed in one were removed from the other.
    from.addEach(keys("into 0/", 40));
    Removing.from(from).removeEach(keys("into 0/", 40));
    AtomicBoolean enough = new AtomicBoolean();
    AtomicInteger writes = new AtomicInteger();
    List<CompletableFuture<Map<String, Boolean>>> writers = new ArrayList<>();
    for (int writer = 0; writer < 3; writer++) {
      BloomFilter<String> mine =
          writer == 2 ? from : (writer == 0 ? here : there).open(into.name(), KeyType.text());
      String prefix = (writer == 2 ? "from " : "into ") + writer + "/";
      writers.add(
          CompletableFuture.supplyAsync(
              () -> {
                Map<String, Boolean> last = new HashMap<>();
                while (!enough.get()) {
                  String key = prefix + ThreadLocalRandom.current().nextInt(150);
                  boolean member = last.getOrDefault(key, false);
                  assertThat(member ? Removing.from(mine).remove(key) : mine.add(key)).isTrue();
                  last.put(key, !member);
                  writes.incrementAndGet();
                }
                return last;
              }));
    }
    try {
      for (int round = 1; round <= 2; round++) {
        int wanted = round * 60;
        await().until(() -> writes.get() > wanted);
        here.admin(from.name()).mergeInto(into.name());
      }
    } finally {
      enough.set(true);
    }
    for (CompletableFuture<Map<String, Boolean>> writer : writers.subList(0, 2)) {
      Map<String, Boolean> last = writer.join();
      for (BloomFilter<String> use : uses(into)) {
        last.forEach((key, member) -> assertThat(use.mightContain(key)).as(key).isEqualTo(member));
      }
    }
    Map<String, Boolean> ofFrom = writers.get(2).join();
    here.admin(from.name()).mergeInto(into.name());
    for (BloomFilter<String> use : uses(into)) {
      ofFrom.forEach(
          (key, member) -> assertThat(!member || use.mightContain(key)).as(key).isTrue());
    }
    here.admin(into.name()).fold();
    assertThat(column("keys_removed", into)).isEqualTo(removedRows(into));
  }

  @Test
  void removedKeysAreNotCompared() {
    BloomFilter<String> first = reserve(spec(false));
    BloomFilter<String> second = reserve(spec(false));
    first.addEach(keys("a", 1000));
    first.addEach(keys("common ", 1000));
    second.addEach(keys("common ", 1000));
    second.addEach(keys("b", 1000));
    Removing.from(first).removeEach(keys("a", 500));
    Removing.from(first).removeEach(keys("common ", 300));
    Removing.from(second).removeEach(keys("common ", 200));
    Removing.from(second).removeEach(keys("b", 400));
    Similarity similarity = there.admin(first.name()).similarityTo(second.name());
    assertThat(similarity.first()).isCloseTo(1200, within(30.0));
    assertThat(similarity.second()).isCloseTo(1400, within(30.0));
    assertThat(similarity.intersection()).isCloseTo(700, within(50.0));
    assertThat(similarity.union()).isCloseTo(1900, within(50.0));
    assertThat(similarity.jaccard()).isCloseTo(0.37, within(0.03));
  }
}
