package io.github.slotbloom.internal.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Whether hashes are retained is chosen once. */
@OddHours
@DatabaseContract(shortLeases = true)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class RetainIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).retainHashes().build();

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @Test
  void aFilterIsNotOpenedWithTheOtherChoice() {
    assertThat(bloom.info(bloom.reserve("retaining", SPEC).name()).retainHashes()).isTrue();
    FilterSpec<String> plain = FilterSpec.builder(KeyType.text()).capacity(1000).build();
    bloom.reserve("plain", plain);
    assertThat(bloom.info("plain").retainHashes()).isFalse();
    assertThatThrownBy(() -> bloom.openOrReserve("plain", SPEC))
        .isInstanceOf(FilterMismatchException.class)
        .hasMessageContaining("retain hashes is false, not true");
  }

  @Test
  void anOpenFilterRefusesRetentionThatWasSwitchedByHand() throws SQLException {
    bloom.reserve("switched_off", SPEC);
    FilterSpec<String> plain = FilterSpec.builder(KeyType.text()).capacity(1000).build();
    bloom.reserve("switched_on", plain);
    for (String name : List.of("switched_off", "switched_on")) {
      BloomFilter<String> open = bloom.open(name, KeyType.text(), options());
      BloomFilter<String> direct = bloom.open(name, KeyType.text(), options().withoutMirror());
      open.add("a");
      boolean before = bloom.info(name).retainHashes();
      sql.run("UPDATE bloom_filter SET retain_hashes = ? WHERE name = ?", !before, name);
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(
              () -> open.add("b"), () -> direct.add("b"), () -> direct.mightContain("b"))) {
        assertThatThrownBy(use)
            .isInstanceOf(CorruptFilterException.class)
            .hasMessageMatching("(?s).*retain.hashes.*")
            .hasMessageContaining("ilter " + name);
      }
      assertThatThrownBy(() -> open.add("b"))
          .hasMessageContaining("retain hashes was " + before + " and is " + !before);
      sql.run("UPDATE bloom_filter SET retain_hashes = ? WHERE name = ?", before, name);
      assertThat(open.add("b")).isTrue();
    }
  }

  private static FilterOptions options() {
    return FilterOptions.defaults().timeout(Duration.ofSeconds(5));
  }

  @Test
  void clearAndDropRemoveRetainedHashes() throws SQLException {
    BloomFilter<String> filter = bloom.reserve("emptied", SPEC);
    BloomFilter<String> kept = bloom.reserve("kept", SPEC);
    long id = bloom.info(filter.name()).id();
    filter.add("a");
    storeBlocks(id, 0, 300);
    storeBlocks(bloom.info(kept.name()).id(), 0, 2);
    String count = "SELECT COUNT(*) FROM bloom_hash_block WHERE filter_id = ?";

    bloom.admin(filter.name()).clear();
    assertThat(sql.number(count, id)).isZero();
    assertThat(filter.add("a")).isTrue();

    storeBlocks(id, 2, 300);
    bloom.admin("emptied").drop();
    assertThat(sql.number(count, id)).isZero();
    assertThat(sql.number(count, bloom.info(kept.name()).id())).isEqualTo(2);
  }

  private static void storeBlocks(long filterId, long begins, int blocks) throws SQLException {
    sql.run(
        "INSERT INTO bloom_hash_block (filter_id, begins, first_hash, hashes)"
            + " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM"
            + " n WHERE i < ?) SELECT ?, ?, i, UNHEX('0000000000000001') FROM n",
        blocks,
        filterId,
        begins);
  }
}
