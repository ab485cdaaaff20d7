package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.mirror.Image;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.mirror.QuietMirrors;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.StandingClock;
import io.github.slotbloom.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a mirror does before a caller's transaction takes the lock, with a clock and with threads
 * that the test lets run.
 */
@DatabaseContract(shortLeases = true)
@Timeout(180)
class MirrorCatchUpIT {

  private static final Duration AGES = Duration.ofHours(1);
  private static final AtomicInteger NAMES = new AtomicInteger();

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom elsewhere;

  /** A lease could end on a machine with much to do. */
  private final StandingClock time = new StandingClock();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Runnable> held = new ArrayList<>();
  private boolean holding;

  private BloomFilter<String> theirs;
  private FilterRecord filter;
  private Mirror mirror;
  private MirrorCatchUp catchUp;

  @BeforeEach
  void open() {
    String name = "f" + NAMES.incrementAndGet();
    theirs = elsewhere.reserve(name, FilterSpec.builder(KeyType.text()).capacity(1_000).build());
    Database database = Database.connect(schema.dataSource());
    filter = database.transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
    mirror =
        new Mirror(
            filter,
            Servers.only(database),
            new QuietMirrors(Servers.only(database), Backgrounds.on(this::execute), time),
            Backgrounds.on(this::execute),
            time,
            event -> {},
            () -> {},
            () -> Long.MIN_VALUE);
    catchUp = new MirrorCatchUp(mirror);
  }

  @AfterEach
  void close() {
    release();
    threads.shutdown();
    theirs.close();
  }

  private synchronized void execute(Runnable work) {
    if (holding) {
      held.add(work);
    } else {
      threads.execute(work);
    }
  }

  private synchronized void hold() {
    holding = true;
  }

  private synchronized void release() {
    holding = false;
    held.forEach(threads::execute);
    held.clear();
  }

  private synchronized int reads() {
    return held.size();
  }

  private void load() throws Exception {
    mirror.refresh().get(60, TimeUnit.SECONDS);
  }

  private void outliveLease() {
    time.advance(filter.lease().plusSeconds(1));
    assertThat(mirror.leased()).isFalse();
  }

  private Deadline in(Duration timeout) {
    return Deadline.in(time, timeout);
  }

  private long seq() {
    return image().cursor().seq();
  }

  private Image image() {
    Image image = mirror.image();
    assertThat(image).isNotNull();
    return image;
  }

  @Test
  void aMirrorWithinItsLeaseIsUsedAsItIs() throws Exception {
    load();
    theirs.add("a");
    hold();
    catchUp.await(in(AGES));
    assertThat(reads()).isZero();
    assertThat(seq()).isZero();
  }

  @Test
  void aMirrorBeyondItsLeaseCatchesUpFirst() throws Exception {
    load();
    theirs.add("a");
    theirs.add("b");
    outliveLease();
    // A slow machine may take longer than this waits for; then the next add finds it done.
    await()
        .until(
            () -> {
              catchUp.await(in(AGES));
              return seq() == 2;
            });
    assertThat(mirror.leased()).isTrue();
  }

  @Test
  @Timeout(45)
  void aMirrorThatCannotCatchUpDelaysOneCallBriefly() throws Exception {
    load();
    theirs.add("a");
    outliveLease();
    hold();
    catchUp.await(in(AGES));
    assertThat(reads()).isEqualTo(1);
    for (int i = 0; i < 100; i++) {
      catchUp.await(in(AGES));
    }
    // A quarter of a second for each would be longer.
    assertThat(reads()).isEqualTo(1);
    assertThat(seq()).isZero();
    release();
    await().until(() -> mirror.leased() && seq() == 1);
    outliveLease();
    hold();
    catchUp.await(in(AGES));
    assertThat(reads()).isEqualTo(1);
  }

  @Test
  void anEmptyMirrorWaitsForTheRead() throws Exception {
    theirs.add("a");
    hold();
    MirrorInCallerTransaction transaction = transaction();
    CompletableFuture<Void> before =
        CompletableFuture.runAsync(() -> transaction.beforeLock(in(AGES)), threads);
    // Longer than a mirror that holds something is waited for.
    await().during(Duration.ofMillis(600)).until(() -> reads() == 1 && !before.isDone());
    release();
    before.get(60, TimeUnit.SECONDS);
    assertThat(seq()).isEqualTo(1);
  }

  @Test
  void anEmptyMirrorTellsTheCallerToRepeatAfterTheTimeout() {
    hold();
    MirrorInCallerTransaction transaction = transaction();
    assertThatThrownBy(() -> transaction.beforeLock(in(Duration.ofMillis(50))))
        .isInstanceOf(KnownKeys.StaleException.class);
  }

  @Test
  void anEmptyMirrorTellsWhyItCannotBeRead() {
    elsewhere.admin(theirs.name()).drop();
    MirrorInCallerTransaction transaction = transaction();
    assertThatThrownBy(() -> transaction.beforeLock(in(AGES))).isInstanceOf(FilterNotReady.class);
  }

  private MirrorInCallerTransaction transaction() {
    return new MirrorInCallerTransaction(
        new FollowedFilter(filter), mirror, catchUp, new AppendedByCallers());
  }
}
