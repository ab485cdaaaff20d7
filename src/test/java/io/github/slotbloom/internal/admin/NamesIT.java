package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.Exports.export;
import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.MembershipFunctions;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Use;
import java.io.ByteArrayInputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Filters have the names that people have, and are told apart by each character of them. */
@DatabaseContract(shortLeases = true, migrated = true)
@Timeout(300)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@Tag("mysql")
class NamesIT extends MembershipFunctions {

  private static final String BLOSSOM = "\ud83c\udf38";

  @Fixture private static SlotBloom there;

  static Stream<String> names() {
    return Stream.of(
        "user:filter",
        "{tenant}:urls",
        "Acme-2",
        "blanks at the end  ",
        " ",
        "it's \"quoted\" `here`",
        "back\\slash\\",
        "100%_of_them",
        "'; DROP TABLE bloom_filter; -- ",
        "a? :b {0} ${c} %s %d",
        "\u6771\u4eac",
        "right\u202eleft\u2028\u2029\uffff",
        BLOSSOM.repeat(200));
  }

  @ParameterizedTest
  @MethodSource("names")
  void aFilterOfAnyNameDoesAllThatOthersDo(String name) throws Exception {
    FilterSpec<String> spec = spec(1000).falsePositiveRate(1e-9).retainHashes().buildRemovable(100);
    BloomFilter<String> filter = bloom.openOrReserve(name, spec);
    filter.addEach(List.of("a", "b"));
    assertThat(Removing.from(filter).remove("b")).isTrue();
    there.admin(filter.name()).fold();
    bloom.admin(name).grow(4000);
    assertThat(filter.add("c")).isTrue();

    assertThat(filter.name()).isEqualTo(name);
    assertThat(bloom.names()).contains(name);
    assertThat(there.info(name).name()).isEqualTo(name);
    assertHolds(Use.DIRECT.open(there, name), List.of("a", "c"));
    makeFunction(name);
    assertThat(askThe(name, "a") + askThe(name, "b")).isEqualTo("10");
    assertThat(sql.text("SELECT filter_id FROM bloom_filter_status WHERE name = ?", name))
        .isEqualTo(Long.toString(bloom.info(name).id()));
    assertThat(bloom.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    byte[] export = export(bloom, name);
    bloom.admin(name).drop();
    assertThat(bloom.names()).doesNotContain(name);
    there.importFrom(name, new ByteArrayInputStream(export));
    assertHolds(bloom.open(name, KeyType.text()), List.of("a", "c"));
    assertThatThrownBy(() -> bloom.reserve(name, spec)).isInstanceOf(FilterExistsException.class);
    there.admin(name).drop();
  }

  /** The label alone does not name the function of a filter whose name gives none. */
  private static String askThe(String name, String key) throws SQLException {
    return sql.text(
        "SELECT "
            + sql.text(
                "SELECT CONCAT_WS('_', 'bloom', id, NULLIF(label, ''), 'might_contain')"
                    + " FROM bloom_filter WHERE name = ?",
                name)
            + "(?)",
        key);
  }

  @Test
  void namesThatDifferInOneCharacterAreDifferent() throws SQLException {
    List<String> names =
        List.of(
            "one name",
            "One name",
            "one name ",
            "one name  ",
            " one name",
            "one_name",
            "one%name",
            "one\u00a0name",
            "\u00f6ne name",
            "o\u0308ne name",
            "one name\u200b",
            "one-name",
            "ONE NAME");
    Set<String> tables = new HashSet<>();
    for (String name : names) {
      bloom.reserve(name, spec(100).falsePositiveRate(1e-9).build()).add(name);
      FilterInfo info = there.info(name);
      assertThat(tables.add(info.generations().get(0).slotTable())).as(name).isTrue();
      assertThat(
              sql.text(
                  "SELECT slot_table FROM bloom_generation_status WHERE filter_id = ?", info.id()))
          .isEqualTo(info.generations().get(0).slotTable());
    }
    for (String name : names) {
      assertThat(there.open(name, KeyType.text()).mightContainEach(names))
          .as(name)
          .isEqualTo(flags(names, name));
    }
    names.forEach(each -> bloom.admin(each).drop());
    assertThat(bloom.names()).doesNotContainAnyElementsOf(names);
  }

  /** Why the column has another collation than the usual one. */
  @Test
  void theUsualCollationPassesOverBlanksAtTheEnd() throws SQLException {
    String compared = "SELECT _utf8mb4'a' COLLATE utf8mb4_bin = _utf8mb4'a ' COLLATE utf8mb4_bin";
    assertThat(sql.text(compared)).isEqualTo("1");
  }

  private static boolean[] flags(List<String> names, String only) {
    boolean[] flags = new boolean[names.size()];
    flags[names.indexOf(only)] = true;
    return flags;
  }

  @Test
  void theReadablePartOfANameIsShortAndHarmless() throws SQLException {
    for (List<String> each :
        List.of(
            List.of("User:Filter", "_user_filter"),
            List.of("__a`; --b__", "_a_b"),
            List.of("\u6771\u4eac", ""),
            List.of("a".repeat(200), "_" + "a".repeat(24)),
            List.of("abcdefghijklmnopqrstuvw-xyz", "_abcdefghijklmnopqrstuvw"),
            List.of("12", "_12"))) {
      bloom.reserve(each.get(0), spec(100).build()).close();
      FilterInfo info = bloom.info(each.get(0));
      assertThat(info.generations().get(0).slotTable())
          .isEqualTo("bloom_bits_" + info.id() + each.get(1) + "_v1");
      bloom.admin(each.get(0)).drop();
    }
  }

  @Test
  void aConnectionOfAnotherCharacterSetFindsTheRightFilter() {
    List<String> names = List.of("\u6771\u4eac", "\u4e2d\u56fd", "??");
    try (SlotBloom latin =
        SlotBloom.on(
            schema.pool(
                pool -> {
                  pool.setMaximumPoolSize(3);
                  pool.addDataSourceProperty("characterEncoding", "ISO-8859-1");
                }))) {
      latin.reserve(names.get(0), spec(100).build()).add("of the first");
      there.reserve(names.get(1), spec(100).build()).add("of the second");
      assertThat(latin.names()).contains(names.get(0), names.get(1));
      assertThat(latin.open(names.get(1), KeyType.text()).mightContain("of the second")).isTrue();
      assertThat(latin.open(names.get(0), KeyType.text()).mightContain("of the second")).isFalse();
      assertThatThrownBy(() -> latin.open(names.get(2), KeyType.text()))
          .isInstanceOf(FilterNotFoundException.class);
      latin.admin(names.get(0)).rename(names.get(2));
      assertThat(there.open(names.get(2), KeyType.text()).mightContain("of the first")).isTrue();
    }
  }

  @Test
  @PossibleLog("^WARN Folder - folding filter .* failed; will retry: .* was renamed to ")
  @PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
  void nobodyLosesAKeyToARenameBetweenNamesThatLookAlike() throws Exception {
    String name = newName();
    List<String> names = List.of(name, name + " ", name.toUpperCase(Locale.ROOT));
    bloom.reserve(name, spec(10_000).falsePositiveRate(1e-9).build()).close();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger number = new AtomicInteger();
    List<String> won = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (SlotBloom process : List.of(bloom, there)) {
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!over.get()) {
                  for (String now : names) {
                    try (BloomFilter<String> filter = process.open(now, KeyType.text())) {
                      for (int i = 0; i < 50; i++) {
                        String key = "key " + number.incrementAndGet();
                        if (filter.add(key)) {
                          won.add(key);
                        }
                      }
                    } catch (FilterNotFoundException renamed) {
                      assertThat(renamed).hasMessageContaining(name.substring(1));
                    }
                  }
                }
              }));
    }
    for (int i = 0; i < 6; i++) {
      there.admin(names.get(i % 3)).rename(names.get((i + 1) % 3));
    }
    over.set(true);
    writers.forEach(CompletableFuture::join);
    BloomFilter<String> filter = bloom.open(name, KeyType.text());
    assertThat(won).isNotEmpty();
    assertHolds(filter, List.copyOf(won));
    assertThat(there.info(filter.name()).keysAdded()).isGreaterThanOrEqualTo(won.size());
    assertThat(bloom.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aReservationThatWasCutOffCanBeDropped() throws SQLException {
    String name = newName();
    sql.runScript(bloom.reserveSql(name, spec(100).build()));
    assertThat(schema.slotTables(name)).hasSize(1);
    there.admin(name).drop();
    assertThat(schema.slotTables(name)).isEmpty();
    String other = newName();
    bloom.reserve(other, spec(100).build()).add("a");
    there.admin(other).rename(name);
    assertHolds(bloom.open(name, KeyType.text()), List.of("a"));
  }
}
