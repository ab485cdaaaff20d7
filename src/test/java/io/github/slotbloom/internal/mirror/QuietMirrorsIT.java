package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.testing.Backgrounds;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.StandingClock;
import io.github.slotbloom.testing.TestSchema;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * What mirrors of one process read together. The reads run by hand, so nothing overlaps, and share
 * one connection.
 */
@DatabaseContract
class QuietMirrorsIT {

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom elsewhere;

  private final StandingClock time = new StandingClock();
  private final Deque<Runnable> work = new ArrayDeque<>();
  private final List<BloomFilter<String>> theirs = new ArrayList<>();

  private Duration aConnectionTakes = Duration.ZERO;
  private HikariDataSource pool;
  private RecordedSql sent;
  private Servers servers;
  private QuietMirrors quietMirrors;

  @BeforeEach
  void connect() {
    connect(settings -> {});
  }

  private void connect(Consumer<HikariConfig> settings) {
    pool = schema.pool(settings.andThen(all -> all.setMaximumPoolSize(1)));
    sent = new RecordedSql(taking(pool));
    servers = Servers.only(Database.connect(sent.dataSource()));
    quietMirrors = new QuietMirrors(servers, background(), time);
  }

  @AfterEach
  void close() {
    theirs.forEach(BloomFilter::close);
  }

  /** Returns the same connections. Each takes some time to be had. */
  private DataSource taking(DataSource real) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              time.advance(aConnectionTakes);
              return ReflectionSupport.invokeMethod(method, real, arguments);
            });
  }

  private Background background() {
    return Backgrounds.on(work::add);
  }

  /** Returns a mirror whose last read found nothing new. */
  private Mirror quiet(String name) {
    theirs.add(elsewhere.reserve(name, FilterSpec.builder(KeyType.text()).capacity(1_000).build()));
    FilterRecord filter =
        servers.primary().transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
    Mirror mirror =
        new Mirror(
            filter,
            servers,
            quietMirrors,
            background(),
            time,
            event -> {},
            () -> {},
            () -> Long.MIN_VALUE);
    for (int reads = 0; reads < 2; reads++) {
      CompletableFuture<Void> read = mirror.refresh();
      work.remove().run();
      assertThat(read).isCompletedWithValue(null);
    }
    return mirror;
  }

  private void finish() {
    while (!work.isEmpty()) {
      work.remove().run();
    }
  }

  private CompletableFuture<Void> readAll(Mirror mirror) {
    CompletableFuture<Void> refreshed = mirror.refresh();
    finish();
    return refreshed;
  }

  private long statements() {
    return sent.texts().stream().filter(text -> text.startsWith("select ")).count();
  }

  @Test
  void mirrorsThatWaitTogetherShareAStatement() {
    List<Mirror> mirrors = List.of(quiet("together 1"), quiet("together 2"), quiet("together 3"));
    time.advance(Duration.ofSeconds(1));
    sent.clear();
    List<CompletableFuture<Void>> refreshed = mirrors.stream().map(Mirror::refresh).toList();
    work.remove().run();
    assertThat(work).isEmpty();
    assertThat(refreshed).allSatisfy(one -> assertThat(one).isCompletedWithValue(null));
    assertThat(mirrors).extracting(Mirror::age).containsOnly(Duration.ZERO);
    assertThat(statements()).isOne();
  }

  @Test
  void anAnswerIsAsOldAsTheQuestion() {
    Mirror mirror = quiet("slow");
    aConnectionTakes = Duration.ofSeconds(1);
    CompletableFuture<Void> refreshed = mirror.refresh();
    work.remove().run();
    assertThat(refreshed).isCompletedWithValue(null);
    assertThat(mirror.age()).isEqualTo(aConnectionTakes);
  }

  /** Its read may take long, as when its bits are loaded again. */
  @Test
  void nobodyWaitsForAMirrorThatHasToReadMore() {
    Mirror same = quiet("same");
    Mirror changed = quiet("changed");
    theirs.get(1).add("a");
    time.advance(Duration.ofSeconds(1));
    CompletableFuture<Void> ofSame = same.refresh();
    CompletableFuture<Void> ofChanged = changed.refresh();
    work.remove().run();
    assertThat(ofSame).isCompletedWithValue(null);
    assertThat(ofChanged).isNotDone();
    assertThat(changed.age()).isEqualTo(Duration.ofSeconds(1));
    work.remove().run();
    assertThat(ofChanged).isCompletedWithValue(null);
    assertThat(changed.age()).isZero();
    assertThat(changed.image().cursor().seq()).isOne();
  }

  @Test
  void theFailureOfOneFilterIsItsOwn() {
    Mirror kept = quiet("kept");
    Mirror renamed = quiet("renamed");
    Mirror dropped = quiet("dropped");
    elsewhere.admin("renamed").rename("renamed since");
    elsewhere.admin("dropped").drop();
    CompletableFuture<Void> ofKept = kept.refresh();
    CompletableFuture<Void> ofRenamed = renamed.refresh();
    CompletableFuture<Void> ofDropped = dropped.refresh();
    finish();
    assertThat(ofKept).isCompletedWithValue(null);
    assertThatThrownBy(ofRenamed::join).hasCauseInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(ofDropped::join).hasCauseInstanceOf(FilterNotReady.class);
  }

  @Test
  void anEntryAfterTheEndIsNoticed() throws SQLException {
    Mirror mirror = quiet("goes on");
    Sql sql = new Sql(schema.dataSource());
    sql.run(
        "INSERT INTO bloom_journal (filter_id, seq, token, previous_token, kind, payload,"
            + " created_at) SELECT filter_id, 1, 7, token, 'ADD', payload, created_at"
            + " FROM bloom_journal WHERE seq = 0 AND filter_id = ?",
        mirror.filterId());
    assertThatThrownBy(readAll(mirror)::join).hasCauseInstanceOf(CorruptFilterException.class);
    // Whoever folds would notice it, too.
    sql.run("DELETE FROM bloom_journal WHERE seq = 1 AND filter_id = ?", mirror.filterId());
  }

  /** The driver takes the session for one that commits each statement. */
  @Test
  void aFilterThatIsGoneLeavesNoTransactionOpen() throws SQLException {
    connect(settings -> settings.setConnectionInitSql("SET SESSION autocommit = 0"));
    Mirror dropped = quiet("gone");
    elsewhere.admin("gone").drop();
    assertThatThrownBy(readAll(dropped)::join).hasCauseInstanceOf(FilterNotReady.class);
    Sql used = new Sql(pool);
    assertThat(used.texts("SELECT @@SESSION.autocommit")).containsExactly("0");
    long session = used.number("SELECT CONNECTION_ID()");
    assertThat(
            new Sql(schema.dataSource())
                .number(
                    "SELECT COUNT(*) FROM information_schema.innodb_trx"
                        + " WHERE trx_mysql_thread_id = ?",
                    session))
        .isZero();
  }
}
