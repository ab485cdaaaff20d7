package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Entries that are not folded yet were damaged by hand. Whoever has to read them refuses, also
 * where nothing but the tokens shows it; nobody passes over them and answers without their keys.
 */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class BrokenJournalIT {

  private static final Use USE = Use.MIRRORED;

  /** Of the entries 4, 5 and 6, which are not folded, and of the row that tells of their end. */
  private enum Damage {
    TRUNCATED("UPDATE bloom_journal SET payload = LEFT(payload, 7) WHERE seq = 5", "7 bytes"),
    EMPTY("UPDATE bloom_journal SET payload = '' WHERE seq = 5", "0 bytes"),
    TOO_LONG(
        "UPDATE bloom_journal SET payload = REPEAT(payload, 8193) WHERE seq = 5", "65544 bytes"),
    FIRST_MISSING("DELETE FROM bloom_journal WHERE seq = 4", ""),
    MIDDLE_MISSING("DELETE FROM bloom_journal WHERE seq = 5", ""),
    LAST_MISSING("DELETE FROM bloom_journal WHERE seq = 6", ""),
    TOKEN_REWRITTEN("UPDATE bloom_journal SET token = token + 1 WHERE seq = 5", ""),
    PREVIOUS_TOKEN_REWRITTEN("UPDATE bloom_journal SET previous_token = 1 WHERE seq = 6", "");

    final String sql;
    final String words;

    Damage(String sql, String words) {
      this.sql = sql;
      this.words = words;
    }
  }

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @BeforeDatabase
  static void reserve() {
    Use.reserveEach(bloom, "a", "b", "c");
  }

  private static FilterOptions options(Use use) {
    return use.options().timeout(Duration.ofSeconds(5));
  }

  @Test
  void everyReaderRefusesABrokenJournal() throws SQLException {
    String name = USE.filterName();
    Backup sound = Backup.of(schema.dataSource(), name);
    long id = sql.number("SELECT id FROM bloom_filter WHERE name = ?", name);
    for (Damage damage : Damage.values()) {
      try (BloomFilter<String> filter = bloom.open(name, KeyType.text(), options(USE))) {
        try (Connection other = schema.dataSource().getConnection()) {
          other.setAutoCommit(false);
          for (int i = 0; i < 3; i++) {
            ByHand.append(other, name, "key " + i, 4711 + 2 * i);
          }
          assertThat(Sql.run(other, damage.sql + " AND filter_id = ?", id)).isOne();
          other.commit();
        }
        for (ThrowingCallable call :
            List.<ThrowingCallable>of(
                () -> filter.mightContain("key 1"),
                () -> filter.mightContainEach(List.of("key 1", "key 2")),
                () -> filter.add("z"),
                () -> filter.add("key 0"),
                () -> filter.addEach(List.of("key 1", "z")),
                () -> addWithin(filter, "key 1"),
                () -> bloom.open(name, KeyType.text(), options(USE)).mightContain("key 1"))) {
          assertRefused(call, name, damage);
        }
        assertRefused(() -> bloom.admin(filter.name()).fold(), name, damage);
        assertThat(sql.number("SELECT folded_seq FROM bloom_fold WHERE filter_id = ?", id))
            .isEqualTo(3);
        sound.restore(schema.dataSource());
        assertThat(filter.mightContainEach(List.of("a", "b", "c", "key 0", "z")))
            .as("after %s", damage)
            .containsExactly(true, true, true, false, false);
      }
    }
  }

  private static void assertRefused(ThrowingCallable call, String name, Damage damage) {
    assertThatThrownBy(call)
        .as("%s", damage)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContainingAll("of filter " + name, damage.words, "Restore");
  }

  private static void addWithin(BloomFilter<String> filter, String key) throws SQLException {
    ByHand.addAndRollBack(filter, key, schema.dataSource().getConnection());
  }
}
