package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidKeyException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Filters of four parts: those with even numbers are in one schema, and those with odd ones in
 * another, which can be out of reach as another server can.
 */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
class PartitionedFilterIT {

  private static final int PARTS = 4;
  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(2_000).falsePositiveRate(0.001).build();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static Instances instances;
  private static TestSchema elsewhere;
  private static Instances others;
  private static SlotBloom there;

  private final String name = FilterNames.newName();

  @BeforeDatabase
  static void makeTheOtherSchema(TestDatabase database) throws Exception {
    elsewhere = database.createSchema();
    others = new Instances(elsewhere);
    there = others.another();
    there.migrate();
    ShortLease.forAll(new Sql(elsewhere.dataSource()));
  }

  @AfterDatabase
  static void dropTheOtherSchema() throws Exception {
    others.close();
    elsewhere.close();
  }

  private static List<SlotBloom> homes(SlotBloom even, SlotBloom odd) {
    return List.of(even, odd, even, odd);
  }

  private PartitionedFilter<String> open() {
    return PartitionedFilter.openOrReserve(name, SPEC, homes(here, there));
  }

  private static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  private static int count(boolean[] answers) {
    int yes = 0;
    for (boolean answer : answers) {
      yes += answer ? 1 : 0;
    }
    return yes;
  }

  /** Two processes with four threads each. The second one mirrors two of the four parts. */
  @Test
  void atMostOneCallerHearsThatAKeyIsNewAndNobodyMissesIt() throws Exception {
    long seed = new Random().nextLong();
    System.out.println("PartitionedFilterIT with seed " + seed);
    Map<String, AtomicInteger> winners = new ConcurrentHashMap<>();
    FilterOptions defaults = FilterOptions.defaults();
    try (PartitionedFilter<String> one = open();
        PartitionedFilter<String> two =
            PartitionedFilter.openOrReserve(
                name,
                SPEC,
                homes(instances.another(), others.another()),
                part -> part < 2 ? defaults : defaults.withoutMirror())) {
      Crowd.of(
              8,
              thread -> {
                Random random = new Random(seed + thread);
                PartitionedFilter<String> mine = thread % 2 == 0 ? one : two;
                PartitionedFilter<String> other = thread % 2 == 0 ? two : one;
                for (int call = 0; call < 15; call++) {
                  List<String> some =
                      random.ints(1 + random.nextInt(50), 0, 3_000).mapToObj(k -> "k" + k).toList();
                  boolean[] fresh = mine.addEach(some);
                  for (int i = 0; i < fresh.length; i++) {
                    winners
                        .computeIfAbsent(some.get(i), key -> new AtomicInteger())
                        .addAndGet(fresh[i] ? 1 : 0);
                  }
                  assertThat(other.mightContainEach(some)).containsOnly(true);
                }
              })
          .join(Duration.ofSeconds(100));

      assertThat(winners.values()).allMatch(count -> count.get() <= 1);
      long won = winners.values().stream().mapToInt(AtomicInteger::get).sum();
      long keys = 0;
      for (int part = 0; part < PARTS; part++) {
        SlotBloom home = part % 2 == 0 ? here : there;
        long ofPart = home.info(name + "_" + part + "_of_4").keysAdded();
        assertThat(ofPart).as("part %d", part).isBetween(won / 5, won * 3 / 10);
        keys += ofPart;
      }
      assertThat(keys).isEqualTo(won).isGreaterThan(winners.size() * 95L / 100);
      assertThat(one.statistics().mirror()).isPresent();
      assertThat(one.statistics().usage().adds() + two.statistics().usage().adds())
          .isGreaterThanOrEqualTo(winners.size());
      assertThat(one.statistics().currentFalsePositiveRate().current()).isBetween(0.0, 0.001);
      assertThat(one.statistics().currentFalsePositiveRate().target()).isEqualTo(0.001);

      List<String> all = List.copyOf(winners.keySet());
      for (int part = 0; part < PARTS; part++) {
        (part % 2 == 0 ? here : there).admin(name + "_" + part + "_of_4").clear();
      }
      assertThat(count(one.mightContainEach(all))).isZero();
      assertThat(count(two.mightContainEach(all))).isZero();
    }
  }

  @Test
  void eachCallReachesThePartOfItsKey() {
    FilterSpec.Removable<String> removable =
        FilterSpec.builder(KeyType.text()).capacity(2_000).buildRemovable();
    try (RemovableFilter<String> filter =
        PartitionedFilter.openOrReserve(name, removable, homes(here, there))) {
      List<String> keys = keys("key ", 100);
      List<String> twice = new ArrayList<>(keys);
      twice.addAll(keys);
      assertThat(filter.filterNew(twice)).isEqualTo(keys);
      assertThat(filter.add("key 7")).isFalse();
      assertThat(filter.addAsync("other").join()).isTrue();
      assertThat(filter.mightContain("other")).isTrue();
      assertThat(filter.remove("other")).isTrue();
      assertThat(filter.mightContain("other")).isFalse();
      assertThat(filter.removeAsync("key 0").join()).isTrue();
      assertThat(count(filter.removeEach(keys))).isEqualTo(99);
      assertThat(count(filter.mightContainEach(keys))).isZero();
      filter.addEach(keys);
      assertThat(count(filter.reportFalsePositives(keys))).isEqualTo(100);
      assertThat(filter.statistics().usage().falsePositives()).isEqualTo(100);

      BlockList<String> blocked = filter.blockList();
      assertThat(count(blocked.rescueEach(keys.subList(0, 50), Rescue.because("a mistake"))))
          .isEqualTo(50);
      assertThat(blocked.rescue("key 50", Rescue.because("another"))).isTrue();
      assertThat(blocked.rescued()).hasSize(51);
      assertThat(count(blocked.isBlockedEach(keys))).isEqualTo(49);
      assertThat(blocked.isBlocked("key 50")).isFalse();
      assertThat(blocked.endRescue("key 50")).isTrue();
      assertThat(count(blocked.endRescueEach(keys))).isEqualTo(50);
      assertThat(count(blocked.isBlockedEach(keys))).isEqualTo(100);

      assertThatThrownBy(() -> filter.addEach(List.of("good", "\ud800")))
          .isInstanceOf(InvalidKeyException.class);
      assertThat(filter.mightContain("good")).isFalse();
      assertThatThrownBy(() -> filter.filterNew(Arrays.asList("good", null)))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("The key is null");
      assertThat(filter.mightContain("good")).isFalse();
    }
  }

  @Test
  void whileOneServerIsOutOfReachOnlyItsKeysFail() throws Exception {
    open().close();
    try (BehindNetwork far =
        new BehindNetwork(elsewhere, settings -> settings.setMaximumPoolSize(4))) {
      List<SlotBloom> homes = homes(here, far.bloom());
      FilterOptions brief = FilterOptions.defaults().timeout(Duration.ofSeconds(2));
      try (PartitionedFilter<String> strict =
              PartitionedFilter.openOrReserve(name, SPEC, homes, part -> brief);
          PartitionedFilter<String> lenient =
              PartitionedFilter.openOrReserve(
                  name, SPEC, homes, part -> brief.whenUnavailable(WhenUnavailable.ANSWER_MAYBE))) {
        List<String> before = keys("before ", 100);
        strict.addEach(before);
        far.network().refuse(true);
        far.network().cutAll();

        List<String> keys = keys("key ", 200);
        List<String> near = keys.stream().filter(key -> isNear(strict, key)).toList();
        WriteFailedException failure =
            catchThrowableOfType(WriteFailedException.class, () -> strict.addEach(keys));
        assertThat(failure.filter()).matches(name + "_[13]_of_4");
        assertThat(failure).hasMessageContaining("Not all parts of filter " + name);
        assertThat(failure.getCause().getSuppressed()).hasSize(1);
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
        int durable = failure.durableKeys();
        assertThat(durable).isLessThan(200);
        assertThat(keys.subList(0, durable)).allMatch(near::contains);
        assertThat(isNear(strict, keys.get(durable))).isFalse();
        assertThat(count(strict.mightContainEach(near))).isEqualTo(near.size());

        List<String> absent = keys("absent ", 100);
        assertThatThrownBy(() -> strict.mightContainEach(absent))
            .isInstanceOf(FilterUnavailableException.class)
            .hasMessageFindingMatch(name + "_[13]_of_4");
        boolean[] answers = lenient.mightContainEach(absent);
        for (int i = 0; i < answers.length; i++) {
          assertThat(answers[i]).isEqualTo(!isNear(strict, absent.get(i)));
        }

        far.network().heal();
        boolean[] again =
            await()
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(WriteFailedException.class)
                .until(() -> strict.addEach(keys), every -> true);
        assertThat(count(again)).as("none is new twice").isLessThanOrEqualTo(200 - near.size());
        for (String key : near) {
          assertThat(again[keys.indexOf(key)]).isFalse();
        }
        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptionsInstanceOf(FilterUnavailableException.class)
            .untilAsserted(
                () -> {
                  assertThat(strict.mightContainEach(keys)).containsOnly(true);
                  assertThat(strict.mightContainEach(before)).containsOnly(true);
                });
      }
    }
  }

  private boolean isNear(PartitionedFilter<String> filter, String key) {
    return filter.partOf(key).name().matches(name + "_[02]_of_4");
  }

  @Test
  void aTransactionTakesTheKeysOfPartsThatAreInItsSchema() throws Exception {
    try (PartitionedFilter<String> near =
            PartitionedFilter.openOrReserve(name, SPEC, List.of(here, here, here));
        HikariDataSource pool = schema.pool();
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      List<String> keys = keys("key ", 60);
      assertThat(count(near.within(connection).addEach(keys))).isEqualTo(60);
      assertThat(near.mightContain("key 1")).isFalse();
      connection.rollback();

      TransactionalWrites<String> writes = near.within(connection);
      assertThat(writes.add("key 0")).isTrue();
      assertThat(writes.filterNew(keys)).isEqualTo(keys.subList(1, 60));
      connection.commit();
      assertThat(near.mightContainEach(keys)).containsOnly(true);
      assertThat(count(near.addEach(keys("new ", 60)))).isEqualTo(60);
    }
  }

  @Test
  void aTransactionIsToldOfAPartElsewhereAndOfOneThatItOutgrows() throws Exception {
    try (PartitionedFilter<String> filter = open();
        HikariDataSource pool = schema.pool();
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      List<String> keys = keys("key ", 60);
      TransactionalWrites<String> writes = filter.within(connection);
      assertThatThrownBy(() -> writes.addEach(keys))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining(schema.name())
          .hasMessageFindingMatch(name + "_[13]_of_4");
      connection.rollback();
      assertThat(count(filter.mightContainEach(keys))).isZero();

      TransactionalWrites<String> more = filter.within(connection);
      assertThat(more.outgrown()).isFalse();
      more.addEach(keys("many ", 20_000).stream().filter(key -> isNear(filter, key)).toList());
      assertThat(more.outgrown()).isTrue();
      connection.rollback();
    }
  }

  @Test
  void anotherNumberOrOrderOfPartsIsRefused() {
    try (PartitionedFilter<String> filter = open()) {
      assertThat(filter.parts()).hasSize(PARTS);
      assertThatThrownBy(() -> PartitionedFilter.openOrReserve(name, SPEC, homes(there, here)))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("puts it elsewhere");
      assertThatThrownBy(() -> PartitionedFilter.openOrReserve(name, SPEC, List.of(here, there)))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("The number of parts cannot change");
      assertThatThrownBy(() -> PartitionedFilter.openOrReserve(name, SPEC, List.of()))
          .isInstanceOf(InvalidParameterException.class);
      assertThat(here.names()).doesNotContain(name + "_0_of_2", name + "_1_of_4");
    }
  }

  @Test
  void partsWithASecretSeedGetTheSameAndOthersAreRefused() throws Exception {
    FilterSpec<String> keyed =
        FilterSpec.builder(KeyType.text()).capacity(1_000).hash(HashAlgorithm.SIPHASH_24).build();
    List<SlotBloom> homes = List.of(here, there);
    try (PartitionedFilter<String> filter = PartitionedFilter.openOrReserve(name, keyed, homes);
        PartitionedFilter<String> again = PartitionedFilter.openOrReserve(name, keyed, homes)) {
      filter.addEach(keys("key ", 50));
      assertThat(again.mightContainEach(keys("key ", 50))).containsOnly(true);
      assertThat(here.info(name + "_0_of_2").seed()).isEqualTo(there.info(name + "_1_of_2").seed());
    }
    String other = FilterNames.newName();
    here.reserve(other + "_0_of_2", keyed).close();
    there.reserve(other + "_1_of_2", keyed).close();
    String seed = Long.toString(here.info(other + "_0_of_2").seed().value());
    assertThatThrownBy(() -> PartitionedFilter.openOrReserve(other, keyed, homes))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining(other + "_1_of_2")
        .hasMessageContaining("the seeds differ")
        .message()
        .doesNotContain(seed);
  }

  @Test
  void allPartsAreClosed() {
    PartitionedFilter<String> filter = open();
    List<BloomFilter<String>> parts = filter.parts();
    filter.close();
    filter.close();
    assertThat(parts).hasSize(PARTS);
    for (BloomFilter<String> part : parts) {
      assertThatThrownBy(() -> part.add("a")).isInstanceOf(FilterClosedException.class);
    }
    assertThatThrownBy(() -> filter.addEach(keys("key ", 20)))
        .isInstanceOf(FilterClosedException.class);
  }
}
