package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.UnsupportedVersionException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is opened must be what is stored, and of a kind that this version knows. */
@DatabaseContract
class OpenIT {

  private static final FilterSpec<String> STORED =
      FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(0.01).build();

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;
  @Fixture private static TestSchema schema;

  @BeforeDatabase
  static void reserve() {
    bloom.reserve("words", STORED).close();
    bloom.reserve("urls", STORED).close();
  }

  @Test
  void anErrorOverAnUnknownNameListsTheFilters() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> bloom.open("word", KeyType.text()),
            () -> bloom.open("word", STORED),
            () -> bloom.info("word"),
            () -> bloom.admin("word").fold(),
            () -> bloom.admin("word").clear(),
            () -> bloom.admin("word").drop())) {
      assertThatThrownBy(call)
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("no filter word")
          .hasMessageContaining("urls, words");
    }
  }

  @Test
  void aPoolForReadingMakesNoFilter() {
    HikariDataSource pool = schema.pool(settings -> settings.setReadOnly(true));
    try (SlotBloom reading = SlotBloom.on(pool)) {
      assertThat(reading.openOrReserve("words", STORED).mightContain("a")).isFalse();
      assertThatThrownBy(() -> reading.openOrReserve("none", STORED))
          .isInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("read-only");
      assertThat(bloom.names()).doesNotContain("none");
    }
  }

  @Test
  void listAndInfoShowTheReservedFilters() throws SQLException {
    assertThat(bloom.names()).containsExactly("urls", "words");
    FilterInfo info = bloom.info("words");
    assertThat(info.name()).isEqualTo("words");
    assertThat(info.keyType()).isEqualTo("text");
    assertThat(info.hash()).isEqualTo("xxh3_64");
    assertThat(info.capacity()).isEqualTo(1000);
    assertThat(info.falsePositiveRate()).isEqualTo(0.01);
    assertThat(info.growable()).isTrue();
    assertThat(info.keysAdded()).isZero();
    assertThat(info.estimatedKeys()).isZero();
    assertThat(info.currentFalsePositiveRate()).isZero();
    assertThat(info.saturated()).isFalse();
    FilterInfo.Generation generation = info.generations().get(0);
    assertThat(generation.bits()).isEqualTo(STORED.parameters().bits());
    assertThat(generation.hashes()).isEqualTo(STORED.parameters().hashes());
    assertThat(generation.slotTable()).isEqualTo(sql.slots("words", 1));
    assertThat(bloom.info(bloom.open("words", STORED).name())).isEqualTo(info);
  }

  @ParameterizedTest
  @CsvSource({
    "capacity, capacity is 1000, not 1001",
    "rate, false positive rate is 0.01, not 0.02",
    "layout, 'layout is BLOCKED, not STANDARD'",
    "seed, 'seed is 0, not 7'",
    "fixed, 'growable is true, not false'",
    "retain, 'retain hashes is false, not true'"
  })
  void anErrorOverOtherParametersShowsBothSides(String what, String difference) {
    UnaryOperator<FilterSpec.Builder<String>> change =
        builder ->
            switch (what) {
              case "capacity" -> builder.capacity(1001);
              case "rate" -> builder.falsePositiveRate(0.02);
              case "layout" -> builder.layout(Layout.STANDARD);
              case "seed" -> builder.seed(7);
              case "retain" -> builder.retainHashes();
              default -> builder.fixed();
            };
    FilterSpec<String> other =
        change
            .apply(FilterSpec.builder(KeyType.text()).capacity(1000).falsePositiveRate(0.01))
            .build();
    assertThatThrownBy(() -> bloom.open("words", other))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("Filter words")
        .hasMessageContaining(difference)
        .hasMessageContaining(
            what.equals("capacity") ? "grow words --capacity 1001" : "or another name");
    assertThatThrownBy(() -> bloom.openOrReserve("words", other))
        .isInstanceOf(FilterMismatchException.class);
  }

  @Test
  void anErrorOverAnotherExplicitSizeShowsBothSides() {
    FilterSpec<String> sized =
        FilterSpec.builder(KeyType.text()).capacity(100).explicitSize(5120, 7).build();
    bloom.reserve("sized", sized).add("x");
    assertThat(bloom.open("sized", sized).mightContain("x")).isTrue();
    FilterSpec<String> other =
        FilterSpec.builder(KeyType.text()).capacity(100).explicitSize(10240, 6).build();
    try {
      assertThatThrownBy(() -> bloom.open("sized", other))
          .isInstanceOf(FilterMismatchException.class)
          .hasMessageContaining("sized");
    } finally {
      bloom.admin("sized").drop();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "format_version, 60, format 60",
    "hash, murmur9, murmur9",
    "layout, SPIRAL, SPIRAL",
    "state, FROZEN, FROZEN"
  })
  void formatsOfLaterVersionsAreRefused(String column, String value, String named)
      throws SQLException {
    BloomFilter<String> open = bloom.open("urls", STORED);
    BloomFilter<String> direct =
        bloom.open("urls", STORED, FilterOptions.defaults().withoutMirror());
    String before = sql.text("SELECT " + column + " FROM bloom_filter WHERE name = 'urls'");
    sql.run("UPDATE bloom_filter SET " + column + " = ? WHERE name = 'urls'", value);
    try {
      assertThatThrownBy(() -> bloom.open("urls", KeyType.text()))
          .isInstanceOf(UnsupportedVersionException.class)
          .hasMessageContaining(named);
      if (column.equals("format_version") || column.equals("state")) {
        for (BloomFilter<String> filter : List.of(open, direct)) {
          assertThatThrownBy(() -> filter.add("x")).isInstanceOf(UnsupportedVersionException.class);
          assertThatThrownBy(() -> filter.mightContain("x"))
              .isInstanceOf(UnsupportedVersionException.class);
        }
      }
    } finally {
      sql.run("UPDATE bloom_filter SET " + column + " = ? WHERE name = 'urls'", before);
    }
    assertThat(open.mightContain("x")).isFalse();
  }
}
