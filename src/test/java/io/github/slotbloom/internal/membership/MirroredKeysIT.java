package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.membership.KnownKeys.MemoryAnswer;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.QuietMirrors;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.StandingClock;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a mirror answers without the database, one key at a time and many, with a set clock. */
@DatabaseContract(shortLeases = true)
class MirroredKeysIT {

  /** More than are looked up at one look at the clock. */
  private static final int MANY = 2_500;

  private static final Duration BOUND = Duration.ofMillis(50);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom elsewhere;
  private static Database database;

  private final StandingClock time = new StandingClock();
  private final Supplier<Deadline> deadline = () -> Deadline.in(time, Duration.ofHours(1));
  private final Deadline beforehand = deadline.get();
  private final Supplier<Deadline> never =
      () -> {
        throw new AssertionError("asks the database");
      };

  private FilterRecord filter;
  private Mirror mirror;

  @BeforeDatabase
  static void connect() {
    database = Database.connect(schema.dataSource());
  }

  private MirroredKeys keys(String name, boolean visibleIsDurable, long... present)
      throws Exception {
    FilterSpec<Long> spec =
        FilterSpec.builder(KeyType.longs()).capacity(10_000).falsePositiveRate(1e-9).build();
    try (BloomFilter<Long> theirs = elsewhere.reserve(name, spec)) {
      theirs.addEach(LongStream.of(present).boxed().toList());
    }
    filter = database.transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
    ServerSettings settings = new ServerSettings("any", visibleIsDurable, List.of(), List.of());
    ServerWatch server = new ServerWatch(database, settings, time, event -> {});
    mirror = mirror(database, () -> {});
    mirror.refresh().get(60, TimeUnit.SECONDS);
    return new MirroredKeys(new FollowedFilter(filter), mirror, server, BOUND);
  }

  private Mirror mirror(Database on, Runnable beforeLoad) {
    return new Mirror(
        filter,
        Servers.only(on),
        new QuietMirrors(Servers.only(on), Backgrounds.inPlace(), time),
        Backgrounds.inPlace(),
        time,
        event -> {},
        beforeLoad,
        () -> Long.MIN_VALUE);
  }

  private long[] hashes(long... keys) {
    KeyHash hash = HashAlgorithm.byId(filter.hash()).create(filter.seed().value());
    return LongStream.of(keys).map(hash::hashLong).toArray();
  }

  private static long[] many() {
    return LongStream.range(0, MANY).toArray();
  }

  private static long[] manyAnd(long key) {
    return LongStream.concat(LongStream.range(0, MANY), LongStream.of(key)).toArray();
  }

  /** The pool may have no other connection for loading. */
  @Test
  void aMirrorHoldsNoConnectionWhenItIsLoadedAgain() throws Exception {
    keys("reloaded", true, 1);
    try (HikariDataSource pool = schema.pool(settings -> settings.setMaximumPoolSize(1))) {
      List<Integer> held = new ArrayList<>();
      Mirror small =
          mirror(
              Database.connect(pool),
              () -> held.add(pool.getHikariPoolMXBean().getActiveConnections()));
      small.refresh().get(60, TimeUnit.SECONDS);
      elsewhere.admin("reloaded").clear();
      small.refresh().get(60, TimeUnit.SECONDS);
      assertThat(held).containsExactly(0, 0);
    }
  }

  @Test
  void keysAreAnsweredFromMemoryWithinTheBound() throws Exception {
    MirroredKeys keys = keys("bounded", true, many());
    long[] asked = hashes(manyAnd(-1));
    boolean[] answers = keys.ask(asked, never);
    assertThat(answers).isEqualTo(keys.knowsEach(asked, beforehand));
    for (int i = 0; i <= MANY; i++) {
      assertThat(answers[i]).isEqualTo(i < MANY);
      assertThat(keys.askMemory(asked[i]))
          .isEqualTo(i < MANY ? MemoryAnswer.PRESENT : MemoryAnswer.ABSENT);
      assertThat(keys.knows(asked[i])).isEqualTo(i < MANY);
    }
  }

  @Test
  void onlyYesComesFromMemoryBeyondTheBound() throws Exception {
    MirroredKeys keys = keys("beyond", true, many());
    time.advance(BOUND);
    assertThat(keys.ask(hashes(many()), never)).containsOnly(true);
    try (BloomFilter<Long> theirs = elsewhere.open("beyond", KeyType.longs())) {
      theirs.add(-1L);
    }
    assertThat(keys.knowsEach(hashes(manyAnd(-1)), beforehand)).endsWith(true, false);
    assertThat(keys.ask(hashes(manyAnd(-1)), deadline)).containsOnly(true);
  }

  @Test
  void noAnswerComesFromMemoryBeyondTheLease() throws Exception {
    MirroredKeys keys = keys("outlived", true, many());
    elsewhere.admin("outlived").clear();
    time.advance(filter.lease());
    assertThat(keys.knowsEach(hashes(many()), beforehand)).containsOnly(false);
    assertThat(keys.knows(hashes(1)[0])).isFalse();
    assertThat(keys.ask(hashes(many()), deadline)).containsOnly(false);
  }

  @Test
  void aLeaseThatEndsDuringACallEndsForTheOtherKeys() throws Exception {
    MirroredKeys keys = keys("ending", true, many());
    time.eachLookTakes(filter.lease().dividedBy(2).plusMillis(1));
    boolean[] known = keys.knowsEach(hashes(many()), beforehand);
    assertThat(known).startsWith(true).endsWith(false);
    elsewhere.admin("ending").clear();
    mirror.hear(time.now());
    assertThat(keys.ask(hashes(many()), deadline)).containsOnly(false);
  }

  @Test
  void keysOfOthersCountAsDurableAfterADurableCommit() throws Exception {
    MirroredKeys keys = keys("visible", false, many());
    assertThat(keys.knows(hashes(1)[0])).isFalse();
    assertThat(keys.knowsEach(hashes(many()), beforehand)).containsOnly(false);
    assertThat(keys.ask(hashes(many()), never)).containsOnly(true);
    keys.committed(
        database.transact(tx -> Catalog.find(tx, filter.id())).orElseThrow().head(), List.of());
    assertThat(keys.knows(hashes(1)[0])).isTrue();
    assertThat(keys.knowsEach(hashes(many()), beforehand)).containsOnly(true);
  }
}
