package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A count that somebody wrote by hand, and that no program can reach. */
@DatabaseContract(shortLeases = true)
@Timeout(180)
@PossibleLog(KnownLogs.USAGE_NOT_RECORDED)
class KeyCountIT {

  /** The largest that fits into the column, and not into a long. */
  private static final String COUNT = "18446744073709551615";

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @Test
  void aFilterWithAnImpossibleCountCanStillBeUsed() throws SQLException {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(1000).onFull(OnFull.DEGRADE).build();
    bloom.reserve("x", spec).close();
    try (BloomFilter<String> filter = bloom.open("x", KeyType.text())) {
      filter.add("before");
    }
    write();

    assertThat(bloom.admin("x").verify(VerifyOptions.defaults()).sound()).isTrue();
    assertThat(bloom.info("x").keysAdded()).isGreaterThan(1L << 40);
    try (BloomFilter<String> filter = bloom.open("x", KeyType.text())) {
      assertThat(filter.mightContain("before")).isTrue();
      assertThat(filter.add("before")).isFalse();
    }
    bloom.admin("x").clear();
    assertThat(bloom.info("x").keysAdded()).isZero();
    write();
    bloom.admin("x").drop();

    assertThatThrownBy(() -> bloom.info("x")).isInstanceOf(FilterNotFoundException.class);
  }

  private static void write() throws SQLException {
    sql.run(
        "UPDATE bloom_journal JOIN bloom_filter ON id = filter_id SET bloom_journal.keys_added = "
            + COUNT
            + " WHERE name = 'x' AND seq = 0");
  }
}
