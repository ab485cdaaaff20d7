package io.github.slotbloom.internal.sql;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stored function that asks a filter from SQL alone answers as Java does, or not at all. */
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class MembershipFunctionIT extends MembershipFunctions {

  private static final int ROWS_A_STATEMENT = 1000;
  private static final int MANY = DatabaseContract.LONG ? 10 : 1;

  @BeforeDatabase
  static void prepare() throws SQLException {
    sql.run("CREATE TABLE staging (k LONGTEXT CHARACTER SET utf8mb4 NOT NULL)");
  }

  /** In two generations; nearly 100,000 keys for both layouts together in the long form. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void theFunctionAnswersAsJavaDoes(Layout layout) throws SQLException {
    String name = "many_" + layout.name().toLowerCase();
    FilterSpec<String> spec = spec(1500 * MANY).falsePositiveRate(0.05).layout(layout).build();
    List<String> keys = new ArrayList<>(keys("añadido ", 4900 * MANY));
    keys.set(0, "");
    keys.set(1, "x".repeat(100_000));
    keys.set(2, "𝕌𝕟𝕚𝕔𝕠𝕕𝕖 \0 ' \\");
    keys.set(3, "trailing blanks  ");
    List<String> added = IntStream.range(0, 2450 * MANY).mapToObj(i -> keys.get(2 * i)).toList();
    boolean[] answers;
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(added.subList(0, 1400 * MANY));
      bloom.admin(name).grow(3000 * MANY);
      filter.addEach(added.subList(1400 * MANY, added.size()));
      bloom.admin(filter.name()).fold();
      answers = filter.mightContainEach(keys);
    }
    stage(keys);

    makeFunction(name);

    assertThat(answersOf(name)).isEqualTo(answers(keys, answers));
    // Those of keys that were never added, too, or positions were never compared.
    assertThat(IntStream.range(0, keys.size()).filter(i -> i % 2 == 1 && answers[i]).count())
        .isBetween(10L * MANY, 200L * MANY);
  }

  /** So small that most answers rest on bits of several keys, of slots and entries. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void theFunctionFindsUnfoldedKeys(Layout layout) throws SQLException {
    String name = "unfolded_" + layout.name().toLowerCase();
    FilterSpec<String> spec = spec(100).falsePositiveRate(0.4).layout(layout).build();
    List<String> keys = keys("key ", 1000);
    try (BloomFilter<String> filter = bloom.reserve(name, spec)) {
      filter.addEach(keys.subList(0, 60));
      bloom.admin(filter.name()).fold();
      boolean[] folded = filter.mightContainEach(keys);
      try (Connection folding =
          ByHand.holdingFoldLockOf(bloom.info(name).id(), schema.dataSource().getConnection())) {
        filter.addEach(keys.subList(60, 95));
        bloom.admin(name).grow(300);
        filter.addEach(keys.subList(95, 150));
        boolean[] answers = filter.mightContainEach(keys);
        assertThat(bloom.info(name).backlog()).isEqualTo(3);
        long differing =
            IntStream.range(150, keys.size()).filter(i -> answers[i] != folded[i]).count();
        assertThat(differing).as("false positives that entries complete").isGreaterThan(20);
        stage(keys);

        makeFunction(name);

        assertThat(answersOf(name)).isEqualTo(answers(keys, answers));
        folding.rollback();
      }
    }
  }

  /** With nothing in the slots, and with entries of all kinds that a replacement leaves. */
  @Test
  void theFunctionFindsUnfoldedKeysOfAReplacement() throws SQLException {
    List<String> keys = keys("key ", 150);
    List<String> before = keys.subList(0, 50);
    boolean[] answers;
    // Of its own, so that nobody folds any more afterwards.
    try (SlotBloom own = SlotBloom.on(schema.dataSource())) {
      BloomFilter<String> filter = own.reserve("replaced", spec(250).build());
      filter.addEach(before);
      bloom
          .admin("replaced")
          .replace(
              400,
              KeySource.of("a list", KeyType.text(), before::stream),
              ReplaceOptions.defaults());
      filter.addEach(keys.subList(50, 75));
      answers = filter.mightContainEach(keys);
      bloom.admin(filter.name()).fold();
    }
    long id = bloom.info("replaced").id();
    sql.run("DELETE FROM " + bloom.info("replaced").generations().get(0).slotTable());
    sql.run("UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", id);
    assertThat(
            sql.texts(
                "SELECT DISTINCT kind FROM bloom_journal WHERE filter_id = ? AND seq > 0", id))
        .contains("ADD", "FILL", "MANIFEST");
    stage(keys);

    makeFunction("replaced");

    assertThat(answersOf("replaced")).isEqualTo(answers(keys, answers));
    sql.run("DELETE FROM bloom_journal WHERE filter_id = ? AND seq = 2", id);
    assertThatThrownBy(() -> ask("replaced", "absent"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("The journal of filter number " + id + " lacks an unfolded entry");
  }

  /** The generation that grew outlives the cut-over, and has the keys from then on alone. */
  @Test
  void theFunctionFindsKeysOfAReplacementDuringWhichTheFilterGrew() throws SQLException {
    List<String> keys = keys("key ", 200);
    List<String> before = keys.subList(0, 50);
    AtomicBoolean begun = new AtomicBoolean();
    boolean[] answers;
    try (SlotBloom own = SlotBloom.on(schema.dataSource())) {
      BloomFilter<String> filter = own.reserve("outgrown", spec(250).build());
      filter.addEach(before);
      makeFunction("outgrown");
      Runnable growing =
          () -> {
            assertChanged("SELECT bloom_%s_outgrown_might_contain('a')".formatted(id("outgrown")));
            filter.addEach(keys.subList(50, 75));
            bloom.admin("outgrown").grow(2000);
            filter.addEach(keys.subList(75, 100));
            assertAnswers("outgrown", keys, filter.mightContainEach(keys));
          };
      bloom
          .admin("outgrown")
          .replace(
              400,
              KeySource.of(
                  "a list",
                  KeyType.text(),
                  () -> {
                    if (begun.compareAndSet(false, true)) {
                      growing.run();
                    }
                    return before.stream();
                  }),
              ReplaceOptions.defaults());
      filter.addEach(keys.subList(100, 125));
      answers = filter.mightContainEach(keys);
      assertThat(bloom.info("outgrown").generations()).hasSize(2);
      assertAnswers("outgrown", keys, answers);
      bloom.admin(filter.name()).fold();
    }
    assertAnswers("outgrown", keys, answers);
    forgetSlots("outgrown");
    assertAnswers("outgrown", keys, answers);
  }

  private static long id(String name) {
    return bloom.info(name).id();
  }

  private static void assertAnswers(String name, List<String> keys, boolean[] answers) {
    try {
      stage(keys);
      makeFunction(name);
      assertThat(answersOf(name)).isEqualTo(answers(keys, answers));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** All that is known of the keys is in the journal then. */
  private static void forgetSlots(String name) throws SQLException {
    for (FilterInfo.Generation generation : bloom.info(name).generations()) {
      sql.run("DELETE FROM " + generation.slotTable());
    }
    sql.run("UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", id(name));
  }

  @Test
  void theFunctionFindsNoKeyFromBeforeAClear() throws SQLException {
    List<String> keys = keys("key ", 60);
    boolean[] answers;
    try (SlotBloom own = SlotBloom.on(schema.dataSource())) {
      BloomFilter<String> filter = own.reserve("emptied", spec(100).build());
      filter.addEach(keys.subList(0, 20));
      bloom.admin("emptied").clear();
      filter.addEach(keys.subList(20, 40));
      answers = filter.mightContainEach(keys);
      assertAnswers("emptied", keys, answers);
      bloom.admin("emptied").fold();
    }
    forgetSlots("emptied");
    assertAnswers("emptied", keys, answers);
  }

  /** None of which an entry began. */
  @Test
  void theFunctionAsksAllGenerationsOfAnImport() throws Exception {
    List<String> keys = keys("key ", 400);
    try (BloomFilter<String> filter = bloom.reserve("exported", spec(50).build())) {
      for (int part = 0; part < 3; part++) {
        filter.addEach(keys.subList(50 * part, 50 * part + 50));
        bloom.admin("exported").grow(200 * (part + 1));
      }
    }
    bloom.importFrom("imported", new ByteArrayInputStream(export(bloom, "exported")));
    try (BloomFilter<String> filter = bloom.open("imported", KeyType.text());
        Connection folding =
            ByHand.holdingFoldLockOf(id("imported"), schema.dataSource().getConnection())) {
      assertThat(bloom.info("imported").generations()).hasSize(4);
      assertAnswers("imported", keys, filter.mightContainEach(keys));
      filter.addEach(keys.subList(150, 250));
      assertAnswers("imported", keys, filter.mightContainEach(keys));
      folding.rollback();
    }
  }

  /** Its digits are those of SQL where Java writes others. */
  @ParameterizedTest
  @ValueSource(strings = {"ar-EG-u-nu-arab", "tr-TR"})
  void theFunctionIsTheSameInEachLocale(String tag) {
    String name = "locale_" + tag.substring(0, 2);
    bloom.reserve(name, spec(100).build()).close();
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.ROOT);
      List<String> expected = bloom.admin(name).functionSql();
      Locale.setDefault(Locale.forLanguageTag(tag));
      assertThat(bloom.admin(name).functionSql()).isEqualTo(expected);
      assertThat(String.join("", expected)).matches("\\p{ASCII}*");
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"grown", "cleared", "dropped", "replaced", "changed"})
  void theFunctionRefusesAChangedFilter(String change) throws SQLException {
    // The longest name, for the sake of the message.
    String name = (change + "_").repeat(10).substring(0, 40);
    bloom.reserve(name, spec(100).build()).close();
    makeFunction(name);
    String ask = "SELECT " + sql.function(name) + "('a')";
    assertThat(sql.text(ask)).isEqualTo("0");

    switch (change) {
      case "grown" -> bloom.admin(name).grow(1000);
      case "cleared" -> bloom.admin(name).clear();
      case "dropped" -> {
        bloom.admin(name).drop();
        assertChanged(ask);
        bloom.reserve(name, spec(100).build()).close();
      }
      case "replaced" ->
          bloom
              .admin(name)
              .replace(
                  1000,
                  KeySource.of("nothing", KeyType.text(), Stream::empty),
                  ReplaceOptions.defaults());
      default -> sql.run("UPDATE bloom_filter SET seed = seed + 1 WHERE name = ?", name);
    }

    assertChanged(ask);
    try (BloomFilter<String> filter = bloom.open(name, KeyType.text())) {
      filter.add("a");
    }
    makeFunction(name);
    assertThat(ask(name, "a")).isEqualTo("1");
  }

  @Test
  void theFunctionRefusesUnfoldedBitsOfAMerge() throws SQLException {
    FilterSpec<String> spec = spec(100).seed(7).build();
    bloom.reserve("from_there", spec).add("a");
    bloom.reserve("into_here", spec).close();
    bloom.admin("from_there").mergeInto("into_here");
    bloom.admin("into_here").fold();
    makeFunction("into_here");
    assertThat(ask("into_here", "a")).isEqualTo("1");
    assertThat(ask("into_here", "b")).isEqualTo("0");
    sql.run(
        "UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", bloom.info("into_here").id());
    assertThatThrownBy(() -> ask("into_here", "b"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("is not folded yet; fold it");
  }

  @Test
  void anAccountThatMayOnlyExecuteTheFunctionMayAsk() throws SQLException {
    bloom.reserve("asked", spec(100).build()).add("a");
    makeFunction("asked");
    TestAccount account = schema.createAccount("EXECUTE");
    Sql theirs = new Sql(schema.dataSource(account));

    assertThat(theirs.text("SELECT " + sql.function("asked") + "('a')")).isEqualTo("1");
    assertThatThrownBy(() -> theirs.text("SELECT seed FROM bloom_filter"))
        .hasMessageContaining("denied");
    assertThat(String.join("\n", bloom.admin("asked").functionSql()))
        .doesNotContain(Long.toString(bloom.info("asked").seed().value()));
  }

  @Test
  void anImpossibleKeyTypeIsRefused() throws SQLException {
    bloom.reserve("typed", spec(100).build()).close();
    sql.run("UPDATE bloom_filter SET key_type = ? WHERE name = 'typed'", "text' OR '1");

    assertThatThrownBy(() -> bloom.admin("typed").functionSql())
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("Filter typed has a key_type");
  }

  @Test
  void dirtyReadsAreRefused() throws SQLException {
    bloom.reserve("dirty", spec(100).build()).close();
    makeFunction("dirty");
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      assertThatThrownBy(() -> Sql.run(connection, "SELECT " + sql.function("dirty") + "('a')"))
          .hasMessageContaining("needs READ COMMITTED");
    }
  }

  @Test
  void otherHashFunctionsAreRefused() {
    FilterSpec<String> spec = spec(100).hash(HashAlgorithm.SIPHASH_24).build();
    bloom.reserve("sip", spec).close();

    assertThatThrownBy(() -> bloom.admin("sip").functionSql())
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll("Filter sip", "siphash24", "Create a filter with sha256");
  }

  @Test
  void makingTheFunctionNeedsTheDocumentedRights() throws SQLException {
    bloom.reserve("owned", spec(100).build()).close();
    makeFunction("owned");
    TestAccount account = schema.createAccount("SELECT, CREATE ROUTINE, ALTER ROUTINE, EXECUTE");
    boolean logged = sql.text("SELECT @@log_bin").equals("1");
    boolean trusted = sql.text("SELECT @@log_bin_trust_function_creators").equals("1");
    try (Connection connection = schema.dataSource(account).getConnection()) {
      if (logged && !trusted) {
        assertThatThrownBy(() -> makeFunction(connection, "owned"))
            .hasMessageContaining("log_bin_trust_function_creators");
      } else {
        makeFunction(connection, "owned");
      }
      // Who may not make it does not take away the one of before.
      assertThat(ask("owned", "a")).isEqualTo("0");
    }
  }

  private static void stage(List<String> keys) throws SQLException {
    sql.run("DELETE FROM staging");
    try (Connection connection = schema.dataSource().getConnection()) {
      for (int from = 0; from < keys.size(); from += ROWS_A_STATEMENT) {
        List<String> rows = keys.subList(from, Math.min(keys.size(), from + ROWS_A_STATEMENT));
        String values = String.join(", ", Collections.nCopies(rows.size(), "(?)"));
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO staging VALUES " + values)) {
          for (int i = 0; i < rows.size(); i++) {
            insert.setString(i + 1, rows.get(i));
          }
          insert.execute();
        }
      }
    }
  }

  /** In the order of the keys; a long one by its length. */
  private static List<List<String>> answersOf(String name) throws SQLException {
    return sql.rows(
        "SELECT IF(LENGTH(k) < 100, k, LENGTH(k)), " + sql.function(name) + "(k) FROM staging");
  }

  private static List<List<String>> answers(List<String> keys, boolean[] answers) {
    return IntStream.range(0, answers.length)
        .mapToObj(
            i -> {
              String key = keys.get(i);
              return List.of(
                  key.length() < 100 ? key : Integer.toString(key.length()),
                  answers[i] ? "1" : "0");
            })
        .toList();
  }

  private static void assertChanged(String ask) {
    assertThatThrownBy(() -> sql.text(ask))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("has changed since this function was created");
  }
}
