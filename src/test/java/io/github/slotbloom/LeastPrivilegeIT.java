package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An operator runs the printed SQL; the application's account can then do all but make tables. */
@DatabaseContract
class LeastPrivilegeIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  private static Sql operator;
  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom owner;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void runPrintedSql() throws SQLException {
    operator = new Sql(schema.dataSource());
    operator.runScript(SlotBloom.schemaSql());
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    bloom = SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(2)));
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  @Test
  void anAccountWithFewRightsUsesAPreparedFilter() throws SQLException {
    assertThat(bloom.isMigrated()).isTrue();
    operator.runScript(bloom.reserveSql("words", SPEC));
    BloomFilter<String> words = bloom.reserve("words", SPEC);
    assertThat(words.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
    assertThat(words.mightContain("b")).isTrue();
    assertThat(words.mightContain("c")).isFalse();
    bloom.admin(words.name()).fold();
    assertThat(bloom.info(words.name()).bitsSet()).isPositive();
    assertThat(bloom.names()).contains("words");
    BloomFilter<String> direct =
        bloom.open("words", SPEC, FilterOptions.defaults().withoutMirror());
    assertThat(direct.mightContain("a")).isTrue();
    assertThatThrownBy(() -> bloom.admin("words").clear())
        .isInstanceOf(SchemaException.class)
        .hasMessageMatching("(?s)Could not create the table bloom_bits_[0-9]+_words_v2: .*")
        .hasMessageContaining("CREATE");
    assertThat(words.mightContain("a")).isTrue();
    operator.runScript(bloom.admin("words").growSql());
    bloom.admin(words.name()).clear();
    assertThat(words.mightContain("a")).isFalse();
    assertThat(words.add("a")).isTrue();
  }

  @Test
  void theSecondTableOfARemovableFilterCanBePreparedToo() throws SQLException {
    FilterSpec<String> removable =
        FilterSpec.builder(KeyType.text()).capacity(1000).buildRemovable();
    operator.runScript(bloom.reserveSql("shrinking", SPEC));
    assertThatThrownBy(() -> bloom.reserve("shrinking", removable))
        .isInstanceOf(SchemaException.class)
        .hasMessageMatching("(?s)Could not create the table bloom_removed_[0-9]+_shrinking: .*")
        .hasMessageContaining("CREATE");
    operator.runScript(bloom.reserveSql("shrinking", removable));
    BloomFilter<String> shrinking = bloom.reserve("shrinking", removable);
    shrinking.add("a");
    assertThat(Removing.from(shrinking).remove("a")).isTrue();
    bloom.admin(shrinking.name()).fold();
    assertThat(bloom.info(shrinking.name()).keysRemoved()).isEqualTo(1);
    operator.runScript(bloom.admin("shrinking").growSql());
    bloom.admin(shrinking.name()).clear();
    assertThat(bloom.info(shrinking.name()).keysRemoved()).isZero();
    assertThat(shrinking.add("a")).isTrue();
  }

  @Test
  void reservingWithoutAPreparedTableFailsAndCanBeRepeated() throws SQLException {
    assertThatThrownBy(() -> bloom.reserve("bare", SPEC))
        .isInstanceOf(SchemaException.class)
        .hasMessageMatching("(?s).*bloom_bits_[0-9]+_bare_v1.*")
        .hasMessageContaining("CREATE");
    assertThat(bloom.names()).doesNotContain("bare");
    // So old that the next one takes it over without waiting for whoever began it.
    assertThat(
            operator.number(
                "SELECT COUNT(*) FROM bloom_filter WHERE name = 'bare' AND state = 'RESERVING'"
                    + " AND created_at < NOW() - INTERVAL 1 DAY"))
        .isEqualTo(1);
    operator.runScript(bloom.reserveSql("bare", SPEC));
    assertThat(bloom.reserve("bare", SPEC).add("x")).isTrue();
    assertThat(schema.slotTables("bare")).containsExactly(operator.slots("bare", 1));
  }

  @Test
  void dropNeedsTheRightAndAnotherAccountCanFinishIt() throws SQLException {
    operator.runScript(bloom.reserveSql("stuck", SPEC));
    bloom.reserve("stuck", SPEC).close();
    assertThatThrownBy(() -> bloom.admin("stuck").drop())
        .isInstanceOf(SchemaException.class)
        .hasMessageMatching("(?s).*bloom_bits_[0-9]+_stuck_v.*")
        .hasMessageContaining("DROP");
    assertThat(bloom.open("stuck", SPEC).add("still usable")).isTrue();
    owner.admin("stuck").drop();
    assertThat(schema.slotTables("stuck")).isEmpty();
    assertThat(operator.number("SELECT COUNT(*) FROM bloom_filter WHERE name = 'stuck'")).isZero();
  }
}
