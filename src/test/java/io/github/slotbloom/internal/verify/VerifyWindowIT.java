package io.github.slotbloom.internal.verify;

import static io.github.slotbloom.testing.Exports.export;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.Finding.Severity;
import io.github.slotbloom.report.KeyExplanation;
import io.github.slotbloom.report.KeyExplanation.InGeneration;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.report.VerifyReport.Unchecked;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.StoredManifest;
import io.github.slotbloom.testing.TablelessProcess;
import io.github.slotbloom.testing.VerifiedFilters;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifying knows which keys of a window expired, and finds what the tables say wrongly. */
@DatabaseContract(migrated = true, shortLeases = true)
class VerifyWindowIT extends VerifiedFilters {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  private static ClockedConnections clock;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    // In place of that whose clock runs.
    bloom = SlotBloom.builder(clock.dataSource()).build();
  }

  @AfterEach
  void close() {
    bloom.close();
  }

  private static FilterSpec.Builder<String> week() {
    return FilterSpec.builder(KeyType.text())
        .capacity(7000)
        .falsePositiveRate(1e-6)
        .window(DAY.multipliedBy(7), 7);
  }

  /**
   * Makes a window that nobody has open, with keys of the first, third and fifth day, all folded.
   * The first ten were added on the third day again. The table for the next bucket is there.
   */
  private void reserve(String name) {
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.reserve(name, week().renew().build());
      for (int bucket = 0; bucket < 3; bucket++) {
        clock.advance(bucket == 0 ? Duration.ZERO : DAY.multipliedBy(2));
        assertThat(filter.addEach(keys(100 * bucket, 100 * bucket + 100))).doesNotContain(false);
        if (bucket == 1) {
          assertThat(filter.addEach(keys(0, 10))).doesNotContain(true);
        }
      }
      bloom.admin(filter.name()).fold();
      await().until(() -> isMadeAhead(name));
    }
  }

  private static boolean isMadeAhead(String name) throws SQLException {
    return sql.texts("SELECT description FROM bloom_unused_table WHERE name = ?", name)
        .contains("created ahead, holds no keys");
  }

  private static long generations(String name) throws SQLException {
    return sql.number("SELECT generations FROM bloom_filter_status WHERE name = ?", name);
  }

  /** In the tables of the buckets, too: $1 is that of the first one. */
  static void change(String statement, String name) throws SQLException {
    String first = sql.slots(name, 1);
    String anyTable = first.substring(0, first.length() - 1) + "$1";
    run(statement.replaceAll("\\$(\\d)", anyTable), name);
  }

  private boolean[] answers(String name) {
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      return filter.mightContainEach(keys(0, 400));
    }
  }

  @ParameterizedTest
  @EnumSource
  void verifyingFindsExactlyTheDamage(WindowDamage damage) throws SQLException {
    String name = damage.name().toLowerCase(Locale.ROOT);
    reserve(name);
    VerifyReport before = verify(name);
    assertSound(before);
    assertThat(before.unchecked()).isEmpty();
    boolean[] answers = answers(name);

    change(damage.sql, name);
    damage.manifest.doTo(new StoredManifest(sql, name));
    VerifyReport report = verify(name);

    assertThat(report.findings()).as("%s", report).isNotEmpty();
    assertThat(report.findings()).extracting(Finding::kind).contains(damage.kind);
    assertThat(report.findings())
        .extracting(Finding::kind)
        .isSubsetOf(damage.kind, damage.isMoved() ? Kind.BITS_MISSING : damage.kind);
    assertThat(report.findings()).extracting(Finding::severity).containsOnly(Severity.DAMAGE);

    VerifyReport repaired = repair(name);
    assertThat(repaired.sound()).as("%s", repaired).isEqualTo(damage.isMendable());
    if (damage.isMendable()) {
      assertThat(repaired.repaired()).isNotEmpty();
      assertSound(verify(name));
      assertThat(answers(name)).isEqualTo(answers);
      assertThat(bloom.info(name).keysAdded()).isEqualTo(300);
    } else {
      assertThat(repaired.repaired()).isEmpty();
    }
  }

  @Test
  void theBitsOfAKeyThatWasRenewedAreMissedAndSetAgain() throws SQLException {
    reserve("renewed");
    InGeneration later = explain("renewed", "key 3").generations().get(1);
    assertThat(later.hasAll()).isTrue();
    for (KeyExplanation.Probed probe : later.probes()) {
      change("DELETE FROM $2 WHERE slot = " + probe.slot(), "renewed");
    }
    assertThat(verify("renewed").findings())
        .extracting(Finding::kind)
        .containsOnly(Kind.BITS_MISSING);
    assertThat(repair("renewed").sound()).isTrue();
    assertThat(explain("renewed", "key 3").generations().get(1).hasAll()).isTrue();
    assertSound(verify("renewed"));
  }

  private KeyExplanation explain(String name, String key) {
    return bloom.admin(name).explain(KeyType.text(), key);
  }

  @Test
  void aRepairedKeyIsFoundByThoseWhoHaveTheFilterOpenAndExpiresInItsTime() throws SQLException {
    reserve("open");
    change("DELETE FROM $1", "open");
    assertThat(verify("open").findings()).extracting(Finding::kind).contains(Kind.BITS_MISSING);
    try (SlotBloom other = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> misled = other.open("open", KeyType.text());
      assertThat(misled.mightContain("key 50")).isFalse();
      assertThat(repair("open").sound()).isTrue();
      assertThat(misled.mightContainEach(keys(0, 300))).doesNotContain(false);
      clock.advance(DAY.multipliedBy(4));
      await().until(() -> !misled.mightContain("key 50"));
      assertThat(misled.mightContainEach(keys(100, 300))).doesNotContain(false);
      assertThat(misled.add("key 50")).isTrue();
    }
    assertSound(verify("open"));
    assertThat(bloom.info("open").keysAdded()).isEqualTo(201);
  }

  @Test
  void aBucketWhoseTableLostAllIsFoundByItsFillOnceTheJournalIsGone() throws SQLException {
    reserve("trimmed");
    run("UPDATE bloom_filter SET created_at = created_at - INTERVAL 1 DAY WHERE $i", "trimmed");
    run(
        "DELETE FROM bloom_journal WHERE $f AND seq > 0 AND seq < (SELECT last_seq FROM (SELECT"
            + " last_seq FROM bloom_journal WHERE $f AND seq = 0) AS newest)",
        "trimmed");
    VerifyReport sound = verify("trimmed");
    assertSound(sound);
    assertThat(sound.unchecked())
        .extracting(Unchecked::check)
        .containsExactly(Check.FOLDED_ENTRIES);
    change("DELETE FROM $1", "trimmed");
    assertThat(verify("trimmed").findings()).extracting(Finding::kind).containsExactly(Kind.FILL);
  }

  @Test
  void keysThatExpiredAreNotLost() throws Exception {
    reserve("expiring");
    clock.advance(DAY.multipliedBy(4));
    assertSound(verify("expiring"));
    try (BloomFilter<String> filter = bloom.open("expiring", KeyType.text())) {
      assertThat(filter.add("later")).isTrue();
      bloom.admin(filter.name()).fold();
    }
    assertSound(verify("expiring"));
    VerifyReport given =
        bloom
            .admin("expiring")
            .verify(
                VerifyOptions.defaults()
                    .keys(KeySource.of("a list", KeyType.text(), () -> keys(0, 300).stream())));
    assertThat(given.sound()).isTrue();
    assertThat(given.findings()).extracting(Finding::kind).containsOnly(Kind.KEY_MISSING);
    assertThat(given.findings()).extracting(Finding::severity).containsOnly(Severity.REMARK);
    assertThat(given.findings()).hasSize(90);
  }

  @Test
  void bucketsThatExpireMeanwhileAreVerifiedAgainAndToldOfInTheEnd() {
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.reserve("brief", week().build());
      assertThat(filter.add("first")).isTrue();
      Runnable expire =
          () -> {
            clock.advance(DAY.multipliedBy(8));
            assertThat(filter.add("at " + clock.now())).isTrue();
          };
      AtomicInteger attempts = new AtomicInteger();
      assertSound(verifyWhile("brief", () -> attempts.getAndIncrement() == 0 ? expire : () -> {}));
      assertThat(attempts).hasValue(2);
      assertThatThrownBy(() -> verifyWhile("brief", () -> expire))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessage(
              "Filter brief could not be verified: a bucket of it expired, or it was cleared,"
                  + " during each of 5 attempts. Try again when the database is less busy: a bucket"
                  + " lasts PT24H, and verification must finish within that time.");
    }
  }

  private VerifyReport verifyWhile(String name, Supplier<Runnable> attempts) {
    return bloom
        .admin(name)
        .verify(
            VerifyOptions.defaults()
                .onProgress(
                    progress -> {
                      if (progress.check() == Check.SLOT_TABLES) {
                        attempts.get().run();
                      }
                    }));
  }

  @Test
  void anExplanationSaysThatAKeyExpired() throws SQLException {
    reserve("told");
    KeyExplanation present = explain("told", "key 50");
    assertThat(present.isMember()).isTrue();
    assertThat(present.isExpired()).isFalse();
    assertThat(present.generations())
        .extracting(InGeneration::expired)
        .containsExactly(false, false, false);
    clock.advance(DAY.multipliedBy(4));
    KeyExplanation gone = explain("told", "key 50");
    assertThat(gone.isMember()).isFalse();
    assertThat(gone.isExpired()).isTrue();
    assertThat(gone.generations())
        .extracting(InGeneration::expired)
        .containsExactly(true, false, false);
    assertThat(explain("told", "key 3").isMember()).as("it was renewed").isTrue();
    assertThat(explain("told", "never").isExpired()).isFalse();
  }

  @Test
  void anImportedWindowIsSoundAndSoAreItsNextBuckets() throws Exception {
    reserve("exported");
    bloom.importFrom("imported", new ByteArrayInputStream(export(bloom, "exported")));
    assertSound(verify("imported"));
    clock.advance(DAY.multipliedBy(4));
    try (BloomFilter<String> filter = bloom.open("imported", KeyType.text())) {
      assertThat(filter.addEach(keys(400, 500))).doesNotContain(false);
      bloom.admin(filter.name()).fold();
    }
    assertSound(verify("imported"));
  }

  private static void addMany(BloomFilter<String> filter, int first) {
    for (int from = first; from < first + 5000; from += 500) {
      assertThat(filter.addEach(keys(from, from + 500))).doesNotContain(false);
    }
  }

  @Test
  void aWindowThatWentOnWithoutATableIsSoundAndItsDamageIsFound() throws Exception {
    reserve("on");
    makeNoneAhead("on");
    clock.advance(DAY);
    addWithin("on", keys(300, 400));
    assertThat(generations("on")).isEqualTo(3);
    VerifyReport report = verify("on");
    assertSound(report);
    assertThat(report.unchecked()).isEmpty();

    StoredManifest manifest = new StoredManifest(sql, "on");
    String right = manifest.text();
    manifest.add(3, "bucket", -1);
    run("UPDATE bloom_filter SET bucket = bucket - 1 WHERE $i", "on");
    assertThat(verify("on").findings()).extracting(Finding::kind).containsExactly(Kind.PARAMETERS);
    manifest.write(right);
    run("UPDATE bloom_filter SET bucket = bucket + 1 WHERE $i", "on");

    // Its layers of before expire, and a new generation begins.
    clock.advance(DAY.multipliedBy(7));
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.open("on", KeyType.text());
      assertThat(filter.add("key 0")).isTrue();
      assertThat(filter.add("key 250")).isFalse();
      bloom.admin(filter.name()).fold();
    }
    assertSound(verify("on"));
    assertThat(bloom.info("on").keysAdded()).isEqualTo(201);
  }

  @Test
  void layersOfABucketThatWentOnAreSound() throws SQLException {
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.reserve("layers", week().build());
      addMany(filter, 0);
      bloom.admin(filter.name()).fold();
      await().until(() -> isMadeAhead("layers"));
    }
    assertThat(generations("layers")).isGreaterThan(1);
    makeNoneAhead("layers");
    clock.advance(DAY);
    addWithin("layers", keys(6000, 6100));
    VerifyReport report = verify("layers");
    assertSound(report);
    assertThat(report.unchecked()).extracting(Unchecked::check).containsExactly(Check.FILL);
    for (int day = 0; day < 8; day++) {
      clock.advance(DAY);
      try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
        BloomFilter<String> filter = writing.open("layers", KeyType.text());
        assertThat(filter.add("day " + day)).isTrue();
        bloom.admin(filter.name()).fold();
      }
      assertSound(verify("layers"));
    }
  }

  /** As if the table for the next bucket could not be made. */
  private static void makeNoneAhead(String name) throws SQLException {
    assertThat(isMadeAhead(name)).isTrue();
    run("UPDATE bloom_table SET made = FALSE WHERE $f ORDER BY generation DESC LIMIT 1", name);
  }

  /** In a transaction of a caller, in a process that makes no table. */
  private void addWithin(String name, List<String> keys) throws SQLException {
    try (TablelessProcess writing = new TablelessProcess(clock.dataSource());
        Connection connection = clock.dataSource().getConnection()) {
      BloomFilter<String> filter = writing.open(name, KeyType.text());
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(filter.within(connection).addEach(keys)).doesNotContain(false);
      connection.commit();
      bloom.admin(filter.name()).fold();
    }
  }

  @Test
  void aWindowThatGrewIsSoundAfterItRotatedAndAfterItWasCleared() {
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.reserve("grown", week().build());
      addMany(filter, 0);
      assertSound(verify("grown"));
      clock.advance(DAY);
      addMany(filter, 5000);
      bloom.admin(filter.name()).fold();
      assertSound(verify("grown"));
      assertThat(bloom.info("grown").generations().size()).isGreaterThan(2);
      writing.admin(filter.name()).clear();
      addMany(filter, 0);
      addMany(filter, 5000);
      bloom.admin(filter.name()).fold();
    }
    VerifyReport report = verify("grown");
    assertSound(report);
    assertThat(Objects.requireNonNull(report.falsePositiveRate()).current()).isLessThan(1e-6);
  }

  @Test
  void aWindowThatWasClearedOrReservedAnewIsSound() {
    reserve("cleared");
    bloom.admin("cleared").clear();
    assertSound(verify("cleared"));
    try (SlotBloom writing = SlotBloom.builder(clock.dataSource()).build()) {
      BloomFilter<String> filter = writing.open("cleared", KeyType.text());
      for (int day = 0; day < 3; day++) {
        assertThat(filter.addEach(keys(100 * day, 100 * day + 100))).doesNotContain(false);
        bloom.admin(filter.name()).fold();
        assertSound(verify("cleared"));
        clock.advance(DAY);
      }
    }
    bloom.admin("cleared").drop();
    BloomFilter<String> filter = bloom.reserve("cleared", week().build());
    for (int day = 0; day < 2; day++) {
      assertThat(filter.addEach(keys(100 * day, 100 * day + 100))).doesNotContain(false);
      assertSound(verify("cleared"));
      clock.advance(DAY);
    }
  }

  @Test
  void longDisuseIsSoundAndAClockThatWasSetFarBackIsARemark() {
    reserve("back");
    clock.advance(DAY.multipliedBy(100));
    assertSound(verify("back"));
    clock.advance(DAY.multipliedBy(-140));
    VerifyReport report = verify("back");
    assertThat(report.sound()).isTrue();
    assertThat(report.findings()).extracting(Finding::severity).containsExactly(Severity.REMARK);
    assertThat(report.findings()).extracting(Finding::kind).containsExactly(Kind.PARAMETERS);
  }

  @Test
  void keysThatAreNotFoldedYetAreNotMissed() throws SQLException {
    reserve("unfolded");
    try (Connection folding =
        ByHand.holdingFoldLockOf(id("unfolded"), schema.dataSource().getConnection())) {
      clock.advance(DAY);
      try (BloomFilter<String> filter = bloom.open("unfolded", KeyType.text())) {
        assertThat(filter.addEach(keys(300, 400))).doesNotContain(false);
        assertThat(filter.addEach(keys(0, 20))).doesNotContain(true);
      }
      assertSound(verify("unfolded"));
      folding.rollback();
    }
    bloom.admin("unfolded").fold();
    assertSound(verify("unfolded"));
  }
}
