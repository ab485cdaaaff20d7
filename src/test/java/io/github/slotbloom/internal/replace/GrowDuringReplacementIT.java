package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.missing;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.RemovableFilter;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A filter grows while it is replaced. What was grown stays beside the generation that replaces the
 * others, and has the keys that come from then on.
 */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Tag("mysql")
class GrowDuringReplacementIT {

  private static final Use USE = Use.MIRRORED;
  private static final List<String> BEFORE = keys("before ", 300);

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static List<String> join(List<?>... lists) {
    return Stream.of(lists).flatMap(List::stream).map(Object::toString).toList();
  }

  private static void assertGenerations(String name, String... numbersAndStates) {
    assertThat(here.info(name).generations())
        .extracting(each -> each.number() + " " + each.state().name())
        .containsExactly(numbersAndStates);
  }

  /** Every process, however it reads, holds the keys, and nothing else; each was won once. */
  private static void assertHoldsExactly(String name, List<String> keys) {
    here.admin(name).fold();
    FilterInfo info = here.info(name);
    assertThat(info.keysAdded() - info.keysRemoved()).isEqualTo(keys.size());
    for (BloomFilter<String> filter :
        List.of(
            USE.open(here, name),
            USE.open(there, name),
            USE.open(instances.another(), name),
            Use.DIRECT.open(instances.another(), name))) {
      assertHolds(filter, keys);
      assertThat(filter.mightContainEach(keys("absent ", 500))).containsOnly(false);
    }
    assertThat(here.info(name).keysAdded()).isEqualTo(info.keysAdded());
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  private static long bitsSet(String name, int number) {
    here.admin(name).fold();
    return here.info(name).generations().stream()
        .filter(each -> each.number() == number)
        .findFirst()
        .orElseThrow()
        .bitsSet();
  }

  @Test
  void everyProcessFollows() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    BloomFilter<String> direct = Use.DIRECT.open(there, name);
    mine.addEach(BEFORE);
    List<String> during = keys("during ", 200);
    List<String> grown = keys("grown ", 200);
    List<String> twice = keys("twice ", 200);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, BEFORE)) {
      assertThat(mine.addEach(during)).containsOnly(true);
      there.admin(name).grow(20_000);
      assertGenerations(name, "1 ACTIVE", "3 ACTIVE", "2 FILLING");
      assertThat(here.info(name).capacity()).isEqualTo(20_000);
      assertThat(here.info(name).replacementCapacity()).hasValue(40_000);
      long filled = bitsSet(name, 2);
      assertThat(theirs.addEach(grown)).containsOnly(true);
      assertThat(bitsSet(name, 2))
          .as("keys that come since are in the new one alone")
          .isEqualTo(filled);
      assertThat(mine.addEach(grown)).containsOnly(false);
      assertThat(bitsSet(name, 2)).as("also those that come twice").isEqualTo(filled);
      assertThat(mine.addEach(join(BEFORE, during, grown))).containsOnly(false);
      here.admin(name).grow(30_000);
      assertGenerations(name, "1 ACTIVE", "3 ACTIVE", "4 ACTIVE", "2 FILLING");
      assertThat(direct.addEach(twice)).containsOnly(true);
      assertThat(mine.addEach(twice)).containsOnly(false);
      List<String> soFar = join(BEFORE, during, grown, twice);
      for (BloomFilter<String> filter : List.of(mine, theirs, direct)) {
        assertThat(missing(filter, soFar)).isEmpty();
        assertThat(filter.mightContainEach(keys("absent ", 500))).containsOnly(false);
      }
      assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
      replacing.finish();
    }
    assertGenerations(name, "2 ACTIVE", "3 ACTIVE", "4 ACTIVE");
    assertThat(here.info(name).capacity()).isEqualTo(30_000);
    assertThat(here.info(name).replacementCapacity()).isEmpty();
    assertThat(schema.slotTables(name))
        .containsExactly(sql.slots(name, 2), sql.slots(name, 3), sql.slots(name, 4));
    List<String> after = keys("after ", 200);
    assertThat(theirs.addEach(after)).containsOnly(true);
    assertHoldsExactly(name, join(BEFORE, during, grown, twice, after));

    here.admin(name).grow(50_000);
    assertGenerations(name, "2 ACTIVE", "3 ACTIVE", "4 ACTIVE", "5 ACTIVE");
    List<String> all = join(BEFORE, during, grown, twice, after);
    there.admin(name).replace(9_000, source(all), ReplaceOptions.defaults());
    assertGenerations(name, "6 ACTIVE");
    assertThat(here.info(name).capacity()).isEqualTo(9_000);
    assertHoldsExactly(name, all);
  }

  /** Two processes add the same keys, and the filter is soon too small for them. */
  @Test
  void itGrowsAutomaticallySeveralTimesWhileManyAdd() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(500).falsePositiveRate(1e-9).build();
    BloomFilter<String> mine = here.reserve(name, spec);
    mine.addEach(BEFORE);
    List<BloomFilter<String>> filters =
        List.of(
            mine,
            USE.open(there, name),
            USE.open(instances.another(), name),
            Use.DIRECT.open(there, name));
    AtomicInteger rounds = new AtomicInteger();
    AtomicInteger won = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    int most = 60;
    try (HeldReplacement replacing = new HeldReplacement(here, name, 5_000, BEFORE)) {
      Crowd adding =
          Crowd.of(
              filters.size(),
              number -> {
                for (int round = 0; round < most && !done.get(); round++) {
                  rounds.accumulateAndGet(round + 1, Math::max);
                  for (boolean fresh :
                      filters.get(number).addEach(keys("round " + round + " ", 100))) {
                    won.addAndGet(fresh ? 1 : 0);
                  }
                }
              });
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                adding.requireNoFailure();
                return here.info(name).capacity() >= 2_000;
              });
      // The cut-over comes while they add.
      replacing.finish();
      done.set(true);
      adding.join(Duration.ofSeconds(60));
    }
    List<String> all = new ArrayList<>(BEFORE);
    for (int round = 0; round < rounds.get(); round++) {
      all.addAll(keys("round " + round + " ", 100));
    }
    assertThat(won).hasValue(all.size() - BEFORE.size());
    assertThat(here.info(name).generations().get(0).number()).isEqualTo(2);
    assertThat(here.info(name).generations()).hasSizeGreaterThan(2);
    assertHoldsExactly(name, all);
  }

  @Test
  void aReplacementThatIsGivenUpLeavesWhatWasGrown() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    mine.addEach(BEFORE);
    List<String> during = keys("during ", 100);
    List<String> grown = keys("grown ", 100);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, BEFORE)) {
      mine.addEach(during);
      here.admin(name).grow(20_000);
      assertThat(mine.addEach(grown)).containsOnly(true);
      there.admin(name).abortReplacement();
      assertThatThrownBy(replacing::finish).hasCauseInstanceOf(ReplacementException.class);
    }
    assertGenerations(name, "1 ACTIVE", "3 ACTIVE");
    assertThat(here.info(name).capacity()).isEqualTo(20_000);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1), sql.slots(name, 3));
    List<String> all = join(BEFORE, during, grown);
    assertHoldsExactly(name, all);
    here.admin(name).replace(9_000, source(all), ReplaceOptions.defaults());
    assertGenerations(name, "4 ACTIVE");
    assertHoldsExactly(name, all);
  }

  @Test
  void aReplacementThatWasCutOffGoesOnAfterTheGrowth() {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    mine.addEach(BEFORE);
    CutOffReplacement.begin(here, name, 40_000, "a list", KeyType.text(), BEFORE.subList(0, 100));
    here.admin(name).grow(20_000);
    List<String> grown = keys("grown ", 100);
    assertThat(mine.addEach(grown)).containsOnly(true);
    there.admin(name).replace(40_000, source(BEFORE), ReplaceOptions.defaults());
    assertGenerations(name, "2 ACTIVE", "3 ACTIVE");
    assertHoldsExactly(name, join(BEFORE, grown));
  }

  /** Keys that come meanwhile do not make up for those that the source lacks. */
  @Test
  void aSourceThatLacksKeysIsRefusedAllTheSame() {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    mine.addEach(BEFORE);
    AtomicBoolean grown = new AtomicBoolean();
    List<String> others = keys("grown ", 100);
    KeySource lacking =
        KeySource.of(
            "a list",
            KeyType.text(),
            () -> {
              if (grown.compareAndSet(false, true)) {
                there.admin(name).grow(20_000);
                assertThat(mine.addEach(others)).containsOnly(true);
              }
              return join(BEFORE.subList(1, 300), others).stream();
            });
    assertThatThrownBy(() -> here.admin(name).replace(40_000, lacking, ReplaceOptions.defaults()))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "300", "299");
    here.admin(name).replace(40_000, source(BEFORE), ReplaceOptions.defaults());
    assertHoldsExactly(name, join(BEFORE, others));
  }

  @Test
  void itsNewCapacityHoldsBeforeAndAfterTheCutOver() throws Exception {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text())
                .capacity(300)
                .falsePositiveRate(1e-9)
                .onFull(OnFull.REFUSE)
                .build());
    filter.addEach(BEFORE);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 5_000, BEFORE)) {
      assertThatThrownBy(() -> filter.add("too many")).isInstanceOf(FilterFullException.class);
      there.admin(name).grow(400);
      assertThat(filter.addEach(keys("fits ", 60))).containsOnly(true);
      replacing.finish();
    }
    assertThat(here.info(name).capacity()).isEqualTo(400);
    assertThat(filter.addEach(keys("fits too ", 40))).containsOnly(true);
    assertThatThrownBy(() -> filter.add("too many")).isInstanceOf(FilterFullException.class);
    assertHoldsExactly(name, join(BEFORE, keys("fits ", 60), keys("fits too ", 40)));
  }

  @Test
  void removedKeysStayRemovedAndOthersReturn() throws Exception {
    String name = newName();
    RemovableFilter<String> mine =
        Removing.from(
            here.reserve(
                name,
                FilterSpec.builder(KeyType.text())
                    .capacity(2_000)
                    .falsePositiveRate(1e-9)
                    .buildRemovable(50)));
    RemovableFilter<String> theirs = Removing.from(USE.open(there, name));
    mine.addEach(BEFORE);
    mine.addEach(List.of("out", "in", "in late", "out in", "late"));
    assertThat(mine.removeEach(List.of("out", "in", "in late"))).containsOnly(true);
    List<String> kept = join(BEFORE, List.of("out in", "late"));
    try (HeldReplacement replacing = new HeldReplacement(here, name, 9_000, kept)) {
      assertThat(theirs.add("in")).isTrue();
      assertThat(mine.remove("out in")).isTrue();
      there.admin(name).grow(5_000);
      assertThat(theirs.addEach(List.of("out in", "in late", "new", "new out", "new in")))
          .containsOnly(true);
      assertThat(mine.removeEach(List.of("late", "new out", "new in", "nothing")))
          .containsExactly(true, true, true, false);
      assertThat(theirs.addEach(List.of("new in", "new", "in")))
          .containsExactly(true, false, false);
      replacing.finish();
    }
    List<String> all = join(BEFORE, List.of("out in", "in", "in late", "new", "new in"));
    List<String> gone = List.of("out", "late", "new out");
    for (BloomFilter<String> filter : List.of(mine, theirs, USE.open(instances.another(), name))) {
      assertThat(filter.mightContainEach(gone)).containsOnly(false);
    }
    assertThat(here.info(name).keysRemoved()).as("with bits in what is left").isEqualTo(2);
    assertHoldsExactly(name, all);
    assertThat(theirs.addEach(gone)).containsOnly(true);
    assertThat(mine.addEach(gone)).containsOnly(false);
    assertThat(mine.removeEach(List.of("new", "in late", "before 1"))).containsOnly(true);
    assertThat(theirs.mightContainEach(List.of("new", "in late", "before 1"))).containsOnly(false);
    here.admin(name).fold();
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void retainedHashesBringAllKeys() {
    String name = newName();
    BloomFilter<String> mine =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text())
                .capacity(1_000)
                .falsePositiveRate(1e-9)
                .retainHashes()
                .build());
    mine.addEach(BEFORE);
    AtomicBoolean grown = new AtomicBoolean();
    List<String> during = keys("grown ", 100);
    here.admin(name)
        .replace(
            9_000,
            KeySource.journal(),
            ReplaceOptions.defaults()
                .onProgress(
                    progress -> {
                      if (grown.compareAndSet(false, true)) {
                        there.admin(name).grow(5_000);
                        assertThat(mine.addEach(during)).containsOnly(true);
                      }
                    }));
    assertGenerations(name, "2 ACTIVE", "3 ACTIVE");
    assertHoldsExactly(name, join(BEFORE, during));
    there.admin(name).replace(9_000, KeySource.journal(), ReplaceOptions.defaults());
    assertGenerations(name, "4 ACTIVE");
    assertHoldsExactly(name, join(BEFORE, during));
  }

  /** A key that the old generations wrongly take for seen is not lost with them. */
  @Test
  void aKeyHiddenByAFalsePositiveIsNotLost() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(300).falsePositiveRate(0.5).build();
    BloomFilter<String> mine = here.reserve(name, spec);
    BloomFilter<String> theirs = Use.DIRECT.open(there, name);
    mine.addEach(BEFORE);
    List<String> colliding =
        keys("collides ", 10_000).stream().filter(mine::mightContain).limit(40).toList();
    try (HeldReplacement replacing = new HeldReplacement(here, name, 100_000, BEFORE)) {
      assertThat(mine.addEach(colliding.subList(0, 10))).containsOnly(false);
      there.admin(name).grow(200_000);
      assertThat(mine.addEach(colliding.subList(10, 20))).containsOnly(false);
      assertThat(theirs.addEach(colliding.subList(20, 30))).containsOnly(false);
      try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
        assertThat(mine.within(connection).addEach(colliding.subList(30, 40))).containsOnly(false);
        connection.commit();
      }
      replacing.finish();
    }
    for (BloomFilter<String> filter : List.of(mine, theirs)) {
      assertThat(missing(filter, join(BEFORE, colliding))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_READ_COMMITTED})
  void aTransactionOfACallerAcrossBothLosesNoKeyAndWinsNoneTwice(int isolation) throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    mine.addEach(BEFORE);
    List<String> grown = keys("grown ", 100);
    List<String> own = List.of("own 1", "own 2");
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, BEFORE);
        Connection connection =
            ByHand.transaction(schema.dataSource().getConnection(), isolation)) {
      Sql.run(connection, "SELECT COUNT(*) FROM bloom_usage");
      here.admin(name).grow(20_000);
      assertThat(mine.addEach(grown)).containsOnly(true);
      replacing.finish();
      List<String> asked = join(own, grown.subList(0, 10), BEFORE.subList(0, 10));
      boolean[] answers;
      try {
        answers = theirs.within(connection).addEach(asked);
      } catch (WriteFailedException e) {
        assertThat(e).hasMessageContaining("repeat all of it");
        connection.rollback();
        answers = theirs.within(connection).addEach(asked);
      }
      connection.commit();
      for (int i = 0; i < answers.length; i++) {
        assertThat(answers[i]).as(asked.get(i)).isEqualTo(i < own.size());
      }
    }
    assertHoldsExactly(name, join(BEFORE, grown, own));
  }

  /** The growth is lost with its keys, and begun again under the same number. */
  @Test
  void aGrowthThatAFailoverLostIsRepeated() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    mine.addEach(BEFORE);
    List<String> during = keys("during ", 50);
    List<String> again = keys("again ", 50);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, BEFORE)) {
      mine.addEach(during);
      here.admin(name).fold();
      Backup replica = Backup.of(schema.dataSource(), name);
      here.admin(name).grow(20_000);
      mine.addEach(keys("lost ", 50));
      theirs.addEach(keys("lost too ", 50));
      replica.restore(schema.dataSource());
      there.admin(name).grow(30_000);
      assertThat(theirs.addEach(join(again, keys("lost ", 10)))).containsOnly(true);
      assertThat(mine.addEach(join(again, keys("lost ", 10), during, BEFORE))).containsOnly(false);
      replacing.finish();
    }
    assertGenerations(name, "2 ACTIVE", "3 ACTIVE");
    assertThat(USE.open(here, name).mightContainEach(keys("lost too ", 50))).containsOnly(false);
    assertHoldsExactly(name, join(BEFORE, during, again, keys("lost ", 10)));
  }

  @Test
  void aClearEndsBoth() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    mine.addEach(BEFORE);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, BEFORE)) {
      here.admin(name).grow(20_000);
      mine.addEach(keys("grown ", 100));
      there.admin(name).clear();
      assertThat(mine.addEach(keys("after ", 10))).containsOnly(true);
      assertThatThrownBy(replacing::finish).hasCauseInstanceOf(ReplacementException.class);
    }
    assertGenerations(name, "4 ACTIVE");
    assertThat(here.admin(name).replacement()).isEmpty();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 4));
    assertThat(here.info(name).generations())
        .extracting(FilterInfo.Generation::capacity, FilterInfo.Generation::number)
        .containsExactly(tuple(20_000L, 4));
    assertThat(mine.mightContainEach(join(BEFORE, keys("grown ", 100)))).containsOnly(false);
    assertHoldsExactly(name, keys("after ", 10));
  }
}
