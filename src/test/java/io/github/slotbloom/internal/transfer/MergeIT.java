package io.github.slotbloom.internal.transfer;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Similarity;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys of one filter in another one, for all who use that. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@Tag("mysql")
class MergeIT {

  /** True in the transaction that brings the first bits. */
  private static final String BRINGS_BITS =
      "SELECT EXISTS (SELECT * FROM bloom_journal WHERE kind = 'MERGE' AND filter_id = %d)";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static FilterSpec.Builder<String> spec(long capacity) {
    return FilterSpec.builder(KeyType.text()).capacity(capacity).falsePositiveRate(0.001);
  }

  private static BloomFilter<String> reserve(SlotBloom bloom, FilterSpec<String> spec) {
    return bloom.reserve(newName(), spec);
  }

  private static String name(BloomFilter<?> filter) {
    return here.info(filter.name()).name();
  }

  /** The ways to use a filter that must all know what was merged into it. */
  private static List<BloomFilter<String>> uses(BloomFilter<String> filter) {
    String name = name(filter);
    FilterOptions options = FilterOptions.defaults();
    return List.of(
        filter,
        there.open(name, KeyType.text()),
        there.open(name, KeyType.text(), options.withoutMirror()),
        there.open(
            name, KeyType.text(), options.freshness(Freshness.bounded(Duration.ofMillis(5)))));
  }

  @Test
  void everyProcessKnowsTheMergedKeys() throws SQLException {
    for (boolean retained : new boolean[] {false, true}) {
      FilterSpec.Builder<String> plain = spec(3000).falsePositiveRate(1e-6);
      FilterSpec<String> spec = (retained ? plain.retainHashes() : plain).build();
      BloomFilter<String> from = reserve(here, spec);
      BloomFilter<String> into = reserve(here, spec);
      from.addEach(keys("a", 200));
      from.addEach(keys("common ", 200));
      into.addEach(keys("b", 200));
      into.addEach(keys("common ", 200));
      List<BloomFilter<String>> uses = uses(into);
      assertThat(uses.get(1).mightContainEach(keys("a", 200))).containsOnly(false);

      here.admin(name(from)).mergeInto(name(into));
      for (BloomFilter<String> use : uses) {
        for (String prefix : List.of("a", "b", "common ")) {
          assertThat(use.mightContainEach(keys(prefix, 200))).containsOnly(true);
          assertThat(use.addEach(keys(prefix, 200))).containsOnly(false);
        }
        assertThat(use.mightContainEach(keys("c", 200))).containsOnly(false);
      }
      assertThat(here.info(into.name()).keysAdded()).isBetween(590L, 610L);
      assertThat(here.info(from.name()).keysAdded()).isEqualTo(400);
      assertThat(from.mightContainEach(keys("b", 200))).containsOnly(false);

      long counted = here.info(into.name()).keysAdded();
      there.admin(name(from)).mergeInto(name(into));
      assertThat(here.info(into.name()).keysAdded()).isEqualTo(counted);
      assertThat(here.info(into.name()).backlog()).isZero();
      assertThat(uses.get(1).addEach(keys("c", 10))).containsOnly(true);
      assertThat(uses.get(2).addEach(keys("c", 10))).containsOnly(false);
      assertThat(sql.texts("SELECT merged FROM bloom_filter WHERE name = ?", name(into)))
          .containsExactly("1");
      if (retained) {
        there
            .admin(name(into))
            .replace(5000, KeySource.journal(), ReplaceOptions.defaults().forced());
        for (String prefix : List.of("a", "b", "common ")) {
          assertThat(uses.get(1).mightContainEach(keys(prefix, 200))).containsOnly(true);
        }
      }
    }
  }

  /** If the merge breaks off there, the filter has hashes that were never counted. */
  @Test
  void aMergeIsToldBeforeTheFirstBits() throws Exception {
    FilterSpec<String> spec = spec(3000).retainHashes().build();
    BloomFilter<String> from = reserve(here, spec);
    BloomFilter<String> into = reserve(here, spec);
    from.addEach(keys("a", 100));
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    List<String> merged = new ArrayList<>();
    try (SlotBloom merging = SlotBloom.on(tapped.dataSource())) {
      tapped.loseCommit(
          BRINGS_BITS.formatted(here.info(into.name()).id()),
          commit -> {
            merged.addAll(sql.texts("SELECT merged FROM bloom_filter WHERE name = ?", name(into)));
            commit.execute("COMMIT");
          });
      merging.admin(name(from)).mergeInto(name(into));
    }
    assertThat(merged).containsExactly("1");
  }

  @Test
  void unfoldedKeysAreMerged() throws Exception {
    FilterSpec<String> spec = spec(3000).falsePositiveRate(1e-6).build();
    BloomFilter<String> from = reserve(here, spec);
    BloomFilter<String> into = reserve(here, spec);
    from.addEach(keys("a", 100));
    into.addEach(keys("b", 10));
    List<BloomFilter<String>> uses = uses(into);
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    AtomicBoolean asked = new AtomicBoolean();
    try (SlotBloom merging = SlotBloom.on(tapped.dataSource());
        Connection folding = schema.dataSource().getConnection()) {
      tapped.loseCommit(
          BRINGS_BITS.formatted(here.info(into.name()).id()),
          commit -> {
            ByHand.holdingFoldLockOf(here.info(into.name()).id(), folding);
            commit.execute("COMMIT");
            assertThat(here.info(into.name()).backlog()).isEqualTo(1);
            List<BloomFilter<String>> all = new ArrayList<>(uses);
            // Loads while the bits are in the journal alone.
            all.add(there.open(name(into), KeyType.text()));
            for (BloomFilter<String> use : all) {
              assertThat(use.mightContainEach(keys("a", 100))).containsOnly(true);
            }
            folding.rollback();
            for (BloomFilter<String> use : List.of(uses.get(0), uses.get(2))) {
              try (Connection transaction = schema.dataSource().getConnection()) {
                transaction.setAutoCommit(false);
                assertThat(use.within(transaction).addEach(keys("a", 100))).containsOnly(false);
                transaction.rollback();
              }
            }
            asked.set(true);
          });
      merging.admin(name(from)).mergeInto(name(into));
    }
    assertThat(asked).isTrue();
    // Of the commit no answer came, and it counted once.
    assertThat(here.info(into.name()).keysAdded()).isBetween(108L, 110L);
  }

  @Test
  void filtersMadeDifferentlyAreRefusedWithBothSides() {
    BloomFilter<String> into = reserve(here, spec(1000).build());
    for (FilterSpec<?> other :
        List.of(
            spec(1000).seed(1).build(),
            spec(1000).layout(Layout.STANDARD).build(),
            FilterSpec.builder(KeyType.longs()).capacity(1000).build(),
            spec(2000).build())) {
      String from = newName();
      here.reserve(from, other);
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> here.admin(from).mergeInto(name(into)),
              () -> here.admin(from).similarityTo(name(into)))) {
        assertThatThrownBy(call)
            .isInstanceOf(FilterMismatchException.class)
            .hasMessageContainingAll(from, name(into))
            .hasMessageFindingMatch(
                "(layout is STANDARD in \\w+ and BLOCKED in|type is long in \\w+ and text in|seed"
                    + " differs|a generation of [0-9,]+ bits and \\d+ bits per key, and \\w+ has"
                    + " none of that size \\(its newest has [0-9,]+ bits and \\d+ bits per"
                    + " key\\))");
      }
    }
    assertThatThrownBy(() -> here.admin(name(into)).mergeInto(name(into)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("itself");
    BloomFilter<String> retaining = reserve(here, spec(1000).retainHashes().build());
    assertThatThrownBy(() -> here.admin(name(into)).mergeInto(name(retaining)))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("retains the hashes");
    assertThat(here.info(retaining.name()).lastSequence()).isZero();
  }

  @Test
  void aFilterThatRefusesMoreKeysStaysAsItIsIfTheyDoNotFit() {
    FilterSpec<String> spec = spec(1000).onFull(OnFull.REFUSE).build();
    BloomFilter<String> from = reserve(here, spec);
    BloomFilter<String> into = reserve(here, spec);
    from.addEach(keys("a", 300));
    into.addEach(keys("b", 900));
    assertThatThrownBy(() -> here.admin(name(from)).mergeInto(name(into)))
        .isInstanceOf(FilterFullException.class)
        .hasMessageContaining("has a capacity of 1000 keys and holds 900");
    assertThat(here.info(into.name()).lastSequence()).isEqualTo(1);
    assertThat(here.info(into.name()).keysAdded()).isEqualTo(900);
    BloomFilter<String> same = reserve(here, spec);
    same.addEach(keys("b", 890));
    here.admin(name(same)).mergeInto(name(into));
    assertThat(here.info(into.name()).keysAdded()).isBetween(900L, 905L);
  }

  @Test
  void generationsAreMergedIntoThoseOfTheirSize() {
    BloomFilter<String> from = reserve(here, spec(1000).build());
    BloomFilter<String> grown = reserve(here, spec(1000).build());
    from.addEach(keys("a", 400));
    grown.addEach(keys("b", 500));
    here.admin(name(grown)).grow(4000);
    grown.addEach(keys("c", 1000));
    here.admin(name(from)).mergeInto(name(grown));
    for (BloomFilter<String> use : uses(grown)) {
      assertThat(use.mightContainEach(keys("a", 400))).containsOnly(true);
      assertThat(use.mightContainEach(keys("c", 1000))).containsOnly(true);
    }
    assertThatThrownBy(() -> here.admin(name(grown)).mergeInto(name(from)))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining(name(from) + " has none of that size");
    Similarity similarity = here.admin(name(grown)).similarityTo(name(from));
    assertThat(similarity.first()).isCloseTo(1900, within(60.0));
    assertThat(similarity.second()).isCloseTo(400, within(20.0));
    assertThat(similarity.intersection()).isCloseTo(400, within(20.0));
  }

  @Test
  void noKeyIsMissedOrWonTwiceWhileBothFiltersAreWritten() {
    // Of two that grow, each would get a size of its own.
    FilterSpec<String> spec = spec(10_000).onFull(OnFull.DEGRADE).build();
    BloomFilter<String> from = reserve(here, spec);
    BloomFilter<String> into = reserve(here, spec);
    Set<String> inFrom = ConcurrentHashMap.newKeySet();
    Set<String> won = ConcurrentHashMap.newKeySet();
    AtomicInteger wonTwice = new AtomicInteger();
    AtomicBoolean enough = new AtomicBoolean();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (SlotBloom bloom : List.of(here, there)) {
      BloomFilter<String> mine = bloom.open(name(into), KeyType.text());
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 100 && !enough.get(); i++) {
                  List<String> batch = keys("into " + i + "/", 20);
                  boolean[] fresh = mine.addEach(batch);
                  for (int k = 0; k < fresh.length; k++) {
                    if (fresh[k] && !won.add(batch.get(k))) {
                      wonTwice.incrementAndGet();
                    }
                  }
                }
              }));
    }
    writers.add(
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 100 && !enough.get(); i++) {
                List<String> batch = keys("from " + i + "/", 20);
                from.addEach(batch);
                inFrom.addAll(batch);
              }
            }));
    try {
      for (int round = 1; round <= 2; round++) {
        int wanted = round * 200;
        await().until(() -> inFrom.size() > wanted);
        List<String> before = List.copyOf(inFrom);
        here.admin(name(from)).mergeInto(name(into));
        for (BloomFilter<String> use : uses(into)) {
          assertThat(use.mightContainEach(before)).containsOnly(true);
        }
      }
    } finally {
      enough.set(true);
      writers.forEach(CompletableFuture::join);
    }
    assertThat(wonTwice).hasValue(0);
    for (BloomFilter<String> use : uses(into)) {
      assertThat(use.mightContainEach(List.copyOf(won))).containsOnly(true);
    }
    // Merged bits may make some of the later keys seem to be there.
    assertThat(here.info(into.name()).keysAdded()).isGreaterThanOrEqualTo(won.size());
  }

  @Test
  void aMergeThatWasCutOffIsFinishedByTheSameCall() throws Exception {
    // Of a size that takes two transactions.
    FilterSpec<String> spec = spec(150_000).falsePositiveRate(1e-6).layout(Layout.STANDARD).build();
    BloomFilter<String> from = reserve(here, spec);
    BloomFilter<String> into = reserve(here, spec);
    from.addEach(keys("a", 6_000));
    into.addEach(keys("b", 1000));
    here.admin(name(from)).fold();
    TappedConnections tapped = new TappedConnections(schema.dataSource());
    try (SlotBloom merging = SlotBloom.on(tapped.dataSource())) {
      tapped.loseCommit(
          "SELECT COUNT(*) > 8 FROM bloom_journal WHERE kind = 'MERGE' AND filter_id = "
              + here.info(into.name()).id(),
          commit -> {
            commit.execute("ROLLBACK");
            Thread.currentThread().interrupt();
          });
      assertThatThrownBy(() -> merging.admin(name(from)).mergeInto(name(into)))
          .isInstanceOf(FilterUnavailableException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(here.info(into.name()).keysAdded()).isBetween(6_900L, 7_060L);
    assertThat(into.mightContainEach(keys("a", 6_000))).contains(false);

    // A failover loses what came; what had come before it counts as it was counted then.
    TappedConnections failing = new TappedConnections(schema.dataSource());
    long end = here.info(into.name()).lastSequence();
    try (SlotBloom merging = SlotBloom.on(failing.dataSource());
        Connection failover = schema.dataSource().getConnection()) {
      failing.loseCommit(
          "SELECT COUNT(*) > 16 FROM bloom_journal WHERE kind = 'MERGE' AND filter_id = "
              + here.info(into.name()).id(),
          commit -> {
            commit.execute("COMMIT");
            ByHand.transaction(failover);
            Sql.run(
                failover,
                "UPDATE bloom_journal e JOIN bloom_journal newest ON newest.filter_id = e.filter_id"
                    + " AND newest.seq = ? SET e.last_seq = newest.seq, e.token = newest.token"
                    + " WHERE e.filter_id = ? AND e.seq = 0",
                end,
                here.info(into.name()).id());
            Sql.run(
                failover,
                "DELETE FROM bloom_journal WHERE filter_id = ? AND seq > ?",
                here.info(into.name()).id(),
                end);
            Sql.run(
                failover,
                "UPDATE bloom_fold SET folded_seq = LEAST(folded_seq, ?) WHERE filter_id = ?",
                end,
                here.info(into.name()).id());
            failover.commit();
          });
      assertThatThrownBy(() -> merging.admin(name(from)).mergeInto(name(into)))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("went back to an earlier state");
    }

    here.admin(name(from)).mergeInto(name(into));
    assertThat(into.mightContainEach(keys("a", 6_000))).containsOnly(true);
    for (BloomFilter<String> use : uses(into)) {
      assertThat(use.mightContainEach(keys("a", 500))).containsOnly(true);
      assertThat(use.mightContainEach(keys("b", 1000))).containsOnly(true);
    }
    assertThat(here.info(into.name()).keysAdded()).isBetween(6_900L, 7_060L);
  }

  @Test
  void aClearEndsAMerge() throws Exception {
    FilterSpec<String> spec = spec(1000).build();
    for (boolean ofFrom : new boolean[] {true, false}) {
      BloomFilter<String> from = reserve(here, spec);
      BloomFilter<String> into = reserve(here, spec);
      from.addEach(keys("a", 300));
      TappedConnections tapped = new TappedConnections(schema.dataSource());
      try (SlotBloom merging = SlotBloom.on(tapped.dataSource())) {
        tapped.loseCommit(
            BRINGS_BITS.formatted(here.info(into.name()).id()),
            commit -> {
              commit.execute("ROLLBACK");
              there.admin(name(ofFrom ? from : into)).clear();
            });
        assertThatThrownBy(() -> merging.admin(name(from)).mergeInto(name(into)))
            .isInstanceOf(FilterUnavailableException.class)
            .hasMessageContaining("ilter " + name(ofFrom ? from : into) + " was cleared");
      }
      if (!ofFrom) {
        assertThat(into.mightContainEach(keys("a", 300))).containsOnly(false);
        assertThat(here.info(into.name()).keysAdded()).isZero();
      }
    }
  }

  @Test
  void aFilterThatIsBeingReplacedRefusesAMerge() throws Exception {
    BloomFilter<String> from = reserve(here, spec(1000).build());
    BloomFilter<String> into = reserve(here, spec(1000).build());
    from.addEach(keys("a", 300));
    into.addEach(keys("b", 300));
    try (HeldReplacement replacement =
        new HeldReplacement(here, name(into), 5000, keys("b", 300))) {
      assertThatThrownBy(() -> here.admin(name(from)).mergeInto(name(into)))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("is being replaced");
      replacement.finish();
    }
  }
}
