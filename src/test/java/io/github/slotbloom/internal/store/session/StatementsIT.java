package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.RecordedSql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is sent to the server: values are bound, and identifiers come from checked names alone. */
@DatabaseContract(migrated = true, shortLeases = true)
@Tag("mysql")
class StatementsIT {

  private static final Use USE = Use.MIRRORED;

  /** In every key, so that a text with any part of one is found out. */
  private static final String MARK = "Bobby";

  private static final List<String> KEYS =
      Stream.of(
              "'); DROP TABLE bloom_filter; -- ",
              "' OR '1'='1",
              "\\'; DELETE FROM bloom_journal; #",
              "\"; SHUTDOWN; \"",
              "`; DROP DATABASE mysql; `",
              "/*! DROP TABLE bloom_usage */",
              "\u00bf\u5c27'; --",
              "\0'\u001a\n\r",
              "? :key {0} ${key} %s")
          .map(attack -> MARK + attack + MARK)
          .toList();

  /** Longer than any that the texts hold by themselves: hashes, slots, bits and tokens are. */
  private static final Pattern LONG_NUMBER = Pattern.compile("(0x|X')?[0-9A-Fa-f]{7,}");

  private static final List<String> OUR_NUMBERS =
      List.of("9223372036854775807", "18446744073709551615", "1152921504606846976", "1048576");

  private static final String FLYWAYS = "RELEASE_LOCK\\('Flyway-[-0-9]+'\\)";

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  @Fixture private static TestSchema schema;
  private static RecordedSql sent;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void connect() {
    sent = new RecordedSql(schema.pool(pool -> pool.setMaximumPoolSize(3)));
    bloom = SlotBloom.on(sent.dataSource());
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  @Test
  void noStatementContainsAKey() throws Exception {
    String name = "select_" + USE.filterName();
    sent.clear();
    USE.reserve(bloom, name).close();
    try (BloomFilter<String> filter = USE.open(bloom, name);
        Connection transaction = sent.dataSource().getConnection()) {
      assertThat(filter.mightContainEach(KEYS)).containsOnly(false);
      assertThat(filter.add(KEYS.get(0))).isTrue();
      assertThat(filter.addAsync(KEYS.get(1)).join()).isTrue();
      transaction.setAutoCommit(false);
      assertThat(filter.within(transaction).add(KEYS.get(2))).isTrue();
      transaction.commit();
      bloom.admin(filter.name()).fold();
      assertThat(filter.addEach(KEYS)).startsWith(false, false, false, true).endsWith(true);
      assertThat(filter.mightContainEach(KEYS)).containsOnly(true);
      assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(KEYS.size());
      bloom.admin(filter.name()).clear();
      assertThat(filter.mightContain(KEYS.get(0))).isFalse();
    }
    bloom.admin(name).drop();
    assertThat(sent.texts()).hasSizeGreaterThan(20);
    assertThat(Set.copyOf(sent.texts()))
        .filteredOn(text -> !isClean(text, name, schema.name()))
        .isEmpty();
    assertThat(sent.values())
        .contains(hex(name))
        .noneMatch(value -> value.toString().contains(MARK));
  }

  private static boolean isClean(String text, String filterName, String schemaName) {
    String bare =
        text.replaceAll(
            "`bloom_(bits|removed)_\\d+_"
                + filterName
                + "(_v\\d)?`|`"
                + schemaName
                + "`|"
                + FLYWAYS,
            "");
    return !bare.contains(MARK)
        && !bare.contains(filterName)
        && LONG_NUMBER.matcher(bare).results().allMatch(n -> OUR_NUMBERS.contains(n.group()));
  }

  private static String hex(String name) {
    return HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
  }

  /** What each call sends on the caller's connection; nobody else uses that. */
  @Test
  void aTransactionOfTheCallersSendsFewStatements() throws Exception {
    RecordedSql callers = new RecordedSql(schema.pool(pool -> pool.setMaximumPoolSize(1)));
    FilterSpec<String> spec = Use.MIRRORED.spec(KeyType.text());
    try (BloomFilter<String> filter = bloom.reserve("few", spec);
        Connection transaction = callers.dataSource().getConnection()) {
      filter.add("known");
      transaction.setAutoCommit(false);
      int added = 0;
      // What transactions before it appended, and took back, is not read again.
      for (boolean commits : new boolean[] {true, true, false, true, true}) {
        callers.clear();
        String key = "new " + added;
        assertThat(filter.within(transaction).add(key)).isTrue();
        assertThat(callers.texts())
            .satisfiesExactly(
                text ->
                    assertThat(text).containsIgnoringCase("for update").contains("bloom_filter"),
                text -> assertThat(text).startsWith("insert into `bloom_journal`"));
        if (commits) {
          transaction.commit();
          added++;
        } else {
          transaction.rollback();
        }
      }
      // After a pause of this process the mirror may have to hear of the database first.
      await()
          .until(
              () -> {
                filter.mightContain("absent");
                callers.clear();
                assertThat(filter.within(transaction).addEach(List.of("known", "known")))
                    .containsOnly(false);
                transaction.commit();
                return callers.texts().stream().noneMatch(text -> text.contains("bloom_filter"));
              });
      assertThat(callers.texts())
          .satisfiesExactly(
              text -> assertThat(text).contains("bloom_table").doesNotContain("bloom_filter"));
    }
  }

  @Test
  void anInvalidNameIsNotSentToTheDatabase() {
    RecordedSql untouched = new RecordedSql(schema.pool(pool -> pool.setMaximumPoolSize(1)));
    SlotBloom unheard = SlotBloom.on(untouched.dataSource());
    untouched.forbid();
    for (String name : List.of("", "a\0", "a\n", "a\ud800", "a".repeat(201))) {
      for (ThrowingCallable call : entries(unheard, name)) {
        assertThatThrownBy(call)
            .as(name)
            .isInstanceOf(InvalidParameterException.class)
            .hasMessageContaining("A filter name has 1 to 200 characters");
      }
    }
  }

  private static List<ThrowingCallable> entries(SlotBloom on, String name) {
    FilterOptions options = FilterOptions.defaults();
    return List.of(
        () -> on.reserve(name, SPEC),
        () -> on.reserve(name, SPEC, options),
        () -> on.openOrReserve(name, SPEC),
        () -> on.openOrReserve(name, SPEC, options),
        () -> on.open(name, SPEC),
        () -> on.open(name, SPEC, options),
        () -> on.open(name, KeyType.text()),
        () -> on.open(name, KeyType.text(), options),
        () -> on.reserveSql(name, SPEC),
        () -> on.info(name),
        () -> on.admin(name).fold(),
        () -> on.admin(name).clear(),
        () -> on.admin(name).drop());
  }

  @Test
  void wordsOfSqlAreValidNames() {
    for (String name : List.of("select", "null", "drop", "table", "x", "bloom_filter")) {
      assertThatThrownBy(() -> bloom.info(name)).isInstanceOf(FilterNotFoundException.class);
      assertThat(bloom.reserve(name, SPEC).add(name)).isTrue();
      assertThat(bloom.info(name).generations().get(0).slotTable())
          .isEqualTo("bloom_bits_" + bloom.info(name).id() + "_" + name + "_v1");
    }
  }
}
